import type { TrainFare } from './train.ts';

/** Cost of a change to a ticket: none, a part of the price, or not possible. */
export type FareTerm = 'yes' | 'fee' | 'no';

/** Refund and exchange of a ticket after its purchase. */
export interface FareTerms {
  readonly refund: FareTerm;
  readonly exchange: FareTerm;
}

const byFlexibility: Readonly<Record<NonNullable<TrainFare['flexibility']>, FareTerms>> = {
  none: { refund: 'no', exchange: 'no' },
  semi: { refund: 'fee', exchange: 'fee' },
  full: { refund: 'yes', exchange: 'yes' },
};

/** Fares that are neither wholly flexible nor wholly bound. */
const byCode: ReadonlyMap<string, FareTerms> = new Map([
  ['N1010', { refund: 'no', exchange: 'fee' }],
  ['N2010', { refund: 'fee', exchange: 'yes' }],
]);

/** Returns the terms of a fare; its carrier's wire may not have them. */
export function fareTermsOf({ code, flexibility = 'none' }: TrainFare): FareTerms {
  return byCode.get(code) ?? byFlexibility[flexibility];
}
