/** The carriers that the simulator plays. */
export type CarrierSimId = 'renfe' | 'ouigo' | 'avlo';

/** Every {@link CarrierSimId}, in the order used for listings. */
export const carrierSimIds: readonly CarrierSimId[] = ['renfe', 'ouigo', 'avlo'];

/** Tells whether a value is a {@link CarrierSimId}. */
export function isCarrierSimId(value: unknown): value is CarrierSimId {
  return carrierSimIds.some((id) => id === value);
}
