/** JSON text that a task returns and its caller gets as a Buffer, without parsing it. Made by `rawJson`. */
export interface RawJson {
  readonly kind: 'ticketing.raw-json';
  readonly bytes: Uint8Array;
}
