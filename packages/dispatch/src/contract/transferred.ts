/** A value whose buffers are moved to the caller where the transport can, else copied. Made by `transferred`. */
export interface Transferred<T> {
  readonly kind: 'ticketing.transferred';
  readonly value: T;
  readonly transfer: readonly ArrayBuffer[];
}
