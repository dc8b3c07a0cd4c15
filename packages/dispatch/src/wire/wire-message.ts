/**
 * Frames as they cross a port. Plain data: one text costs the port less than many values, and frames share it.
 * `cells` is a JSON array: 0, then for each frame its code, `seq`, kind of value, value or size, and what else it has.
 */
export interface WireMessage {
  readonly ticketing: string;
  readonly cells: string;
  /** Bytes of the values that are not in `cells`, one after the other. */
  readonly body: Uint8Array | undefined;
  /** The value that the port itself clones. */
  readonly value: unknown;
}

/** Marks of our messages. Others come over the same channel, as those of `node --watch`; they are passed over. */
export const toWorkerTag: string = 'dispatch.to-worker';
export const fromWorkerTag: string = 'dispatch.from-worker';

/** How a value is written. */
export const valueKind = {
  /** In the cell. */
  json: 0,
  undefined: 1,
  /** A number that JSON has no text for. */
  number: 2,
  bigint: 3,
  /** In the body, written by `cloneToBytes`. */
  clone: 4,
  /** In the body as it is: a Buffer, a Uint8Array. */
  buffer: 5,
  bytes: 6,
  /** The message's `value`. */
  direct: 7,
} as const;
