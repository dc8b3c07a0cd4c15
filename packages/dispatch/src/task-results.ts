import { types } from 'node:util';
import threads from 'node:worker_threads';
import { type Rule, showValue, wrongValue } from '@ticketing/kit';
import type { Movable, RawJson, Transferred } from './contract/task.ts';

/**
 * Returns the JSON of a value for a task to return; its caller gets a Buffer, ready to be sent on. Serialises once, at the
 * call: later changes of the value do not reach the caller.
 *
 * @throws TypeError for a value that JSON cannot write, such as a function or a cycle
 */
export function rawJson(value: unknown): RawJson {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) {
    throw new TypeError(
      `Cannot make raw JSON: \`value\` must be one that JSON can write, got ${showValue(value)}`,
    );
  }
  return { kind: 'ticketing.raw-json', bytes: Buffer.from(text) };
}

/** Recognises what `rawJson` returns, also that of another copy of this package. */
export function isRawJson(value: unknown): value is RawJson {
  return isMade<RawJson>(value, 'ticketing.raw-json') && value.bytes instanceof Uint8Array;
}

/** Returns a value as its caller gets it: raw JSON as a Buffer. */
export function asDelivered(value: unknown): unknown {
  if (!isRawJson(value)) return value;
  const { bytes } = value;
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Rule of the option `transfer`. */
export const buffersRule: Rule = {
  expected: 'an array of ArrayBuffers and MessagePorts',
  test: (value) =>
    Array.isArray(value) && value.every((each) => types.isArrayBuffer(each) || isPort(each)),
};

/** Whether a value is a port, which no process can send to another. */
export function isPort(value: unknown): value is threads.MessagePort {
  return value instanceof threads.MessagePort;
}

/** @throws TypeError for the memory that Node shares among small Buffers: no port moves it */
export function refusePool(action: string, transfer: readonly Movable[]): void {
  if (!transfer.some(isPool)) return;
  throw new TypeError(
    `Cannot ${action}: \`transfer\` must have buffers that can be moved, got Node's shared pool, where small Buffers are (\`Buffer.from('x').buffer\`); move a copy: \`Uint8Array.from(bytes).buffer\``,
  );
}

/** Node 20 cannot say so: there only the pool in use is known, and an older one is copied. */
function isPool(buffer: Movable): boolean {
  const { isMarkedAsUntransferable } = threads as Partial<typeof threads>;
  return isMarkedAsUntransferable?.(buffer) ?? buffer === Buffer.allocUnsafe(1).buffer;
}

/**
 * Marks a value that a task returns: its listed buffers are moved to the caller where the transport can, else copied; ports are
 * moved, or fail the call where they cannot be. The task must not use them afterwards.
 *
 * @throws TypeError for a list that holds anything but ArrayBuffers and MessagePorts, or Node's shared pool
 */
export function transferred<T>(value: T, transfer: readonly Movable[]): Transferred<T> {
  if (!buffersRule.test(transfer)) {
    throw wrongValue('mark buffers to transfer', 'transfer', buffersRule, transfer);
  }
  refusePool('mark buffers to transfer', transfer);
  return { kind: 'ticketing.transferred', value, transfer };
}

/** Recognises what `transferred` returns, also that of another copy of this package. */
export function isTransferred(value: unknown): value is Transferred<unknown> {
  const kind = 'ticketing.transferred';
  return isMade<Transferred<unknown>>(value, kind) && Array.isArray(value.transfer);
}

function isMade<T extends { readonly kind: string }>(
  value: unknown,
  kind: T['kind'],
): value is Partial<T> & Pick<T, 'kind'> {
  return typeof value === 'object' && value !== null && (value as Partial<T>).kind === kind;
}
