import type { Call } from './way.ts';

/** Messages to a child. */
export interface ChildCall {
  readonly id: number;
  readonly call: Call;
}

/** Messages from a child. */
export type ChildAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };
