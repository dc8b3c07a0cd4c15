import type { Said } from './flag-specs.ts';

/** A value, and who said it: a flag, a variable, or `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly from: string;
}

export type Settings = { readonly [K in keyof Said]: Setting<Said[K]> };
