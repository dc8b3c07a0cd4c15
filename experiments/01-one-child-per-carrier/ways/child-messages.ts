import type { Call } from './way.ts';

/** What a child is told. */
export interface ChildCall {
  readonly id: number;
  readonly call: Call;
}

/** What a child answers. */
export type ChildAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };
