import type { CarrierSettings } from '../carriers/carriers.ts';
import type { Flags } from './flag-specs.ts';

/** Returns the settings of the carriers at a base URL. */
export function carrierSettings(
  { ouigo, guard, rate: rates, hedge: hedged }: Pick<Flags, 'ouigo' | 'guard' | 'rate' | 'hedge'>,
  carriersUrl: string,
): CarrierSettings {
  return { carriersUrl, ouigo, ...(guard && { guard: { rates, hedged } }) };
}
