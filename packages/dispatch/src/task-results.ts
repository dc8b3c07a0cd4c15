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
 * A typed array, DataView, Buffer, ArrayBuffer or port needs no list. A view of a whole buffer is moved with it. A view of a part,
 * such as a small Buffer in Node's shared pool, is copied at once and its copy moved, so that no other bytes leave the worker.
 *
 * @throws TypeError without a list for any other value, and for shared memory; for a list that holds anything but ArrayBuffers and
 * MessagePorts, or Node's shared pool
 * @example
 * export default defineTasks({
 *   thumbnail: async (path: string) => transferred(await sharp(path).resize(320).toBuffer()),
 * });
 */
export function transferred<T>(value: T, transfer: readonly Movable[]): Transferred<T>;
export function transferred<T extends Movable | ArrayBufferView>(value: T): Transferred<T>;
export function transferred<T>(value: T, transfer?: readonly Movable[]): Transferred<T> {
  if (transfer === undefined) return movedWhole(value);
  if (!buffersRule.test(transfer)) {
    throw wrongValue('mark buffers to transfer', 'transfer', buffersRule, transfer);
  }
  refusePool('mark buffers to transfer', transfer);
  return { kind: 'ticketing.transferred', value, transfer };
}

const withoutList: Rule = {
  expected:
    'a typed array, DataView or Buffer of unshared memory, an ArrayBuffer or a MessagePort, if there is no list `transfer`',
  test: (value) =>
    isPort(value) ||
    types.isArrayBuffer(value) ||
    (ArrayBuffer.isView(value) && types.isArrayBuffer(value.buffer)),
};

/** Marks a view or a buffer to be moved with all its bytes, and with no others. */
function movedWhole<T>(value: T): Transferred<T> {
  const action = 'mark a value to transfer';
  if (!withoutList.test(value)) throw wrongValue(action, 'value', withoutList, value);
  const whole = ArrayBuffer.isView(value) ? wholeView(value) : value;
  const transfer = [(ArrayBuffer.isView(whole) ? whole.buffer : whole) as Movable];
  refusePool(action, transfer);
  return { kind: 'ticketing.transferred', value: whole as T, transfer };
}

/** Returns a view that has its buffer to itself: the same one, or a copy in a new buffer. */
function wholeView(view: ArrayBufferView): ArrayBufferView {
  const { buffer, byteOffset, byteLength } = view;
  if (byteLength === buffer.byteLength) return view;
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength);
  if (Buffer.isBuffer(view)) return Buffer.from(bytes);
  const Kind = view.constructor as new (buffer: ArrayBufferLike) => ArrayBufferView;
  return new Kind(bytes);
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
