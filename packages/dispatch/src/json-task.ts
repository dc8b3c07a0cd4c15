import { describeValue } from '@ticketing/kit';
import type { TaskContext } from './contract/task.ts';

/** Symbol that all copies of this package share. */
const mark: unique symbol = Symbol.for('ticketing.dispatch.json');

// biome-ignore lint/suspicious/noExplicitAny: each task has its own input type, which any callable type must accept
type Task = (input: any, context: TaskContext) => unknown;

/**
 * Marks a task whose inputs, results and items JSON keeps: they cross to processes and threads as JSON, by
 * `JSON.stringify` and `JSON.parse`, and are not looked through before. What JSON changes arrives changed: an `undefined` member
 * is left out, an object that is there twice becomes two. An in-process dispatcher with `clone: true` refuses values that lose
 * more. A value with `transfer`, raw JSON and transferred values travel as in other tasks; so does everything over NATS.
 *
 * The types refuse what JSON cannot keep: bigints, dates, maps, sets, bytes, functions, errors.
 *
 * @throws TypeError for a task that is no function
 * @example
 * export default defineTasks({
 *   search: json(async (query: Query): Promise<Offer[]> => offersFor(query)),
 * });
 */
export function json<F extends Task>(task: F & KeptByJson<F>): F {
  if (typeof task !== 'function') {
    throw new TypeError(`Cannot mark task: it must be a function, got ${describeValue(task)}`);
  }
  const marked = function (this: unknown, input: unknown, context: TaskContext): unknown {
    return task.call(this, input, context);
  };
  return Object.assign(marked, { [mark]: true }) as unknown as F;
}

/** Recognises a task that `json` has marked. */
export function isJsonTask(task: unknown): boolean {
  return (task as { readonly [mark]?: unknown })[mark] === true;
}

/** Type of the task itself if JSON keeps its input and its output; otherwise `never`. */
type KeptByJson<F> = F extends (input: infer I, context: TaskContext) => infer R
  ? [I, Given<R>] extends [Kept<I>, Kept<Given<R>>]
    ? F
    : never
  : never;

type Given<R> = R extends AsyncIterable<infer T> ? T : Awaited<R>;

type Lost =
  | bigint
  | symbol
  | Date
  | RegExp
  | Error
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | ArrayBuffer
  | ArrayBufferView
  | ((...args: never) => unknown);

/** Type of the value that arrives; `undefined` stands for a member that is left out, or for no input and no result. */
type Kept<T> = unknown extends T
  ? T
  : T extends Lost
    ? never
    : T extends object
      ? { [K in keyof T]: Kept<T[K]> }
      : T;

/**
 * Names the first part of a value that JSON would change, or nothing. A member that is left out and an object that is there
 * twice are no loss. For values of any depth that JSON can write at all.
 */
export function lossOfJson(value: unknown, path = 'the value'): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) && !Object.is(value, -0) ? undefined : says(path, value);
  }
  if (typeof value !== 'object') return says(path, value);
  if (typeof (value as { readonly toJSON?: unknown }).toJSON === 'function')
    return says(path, value);
  if (Array.isArray(value)) return lossOfArray(value, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return says(path, value);
  for (const [key, member] of Object.entries(value)) {
    const loss = member === undefined ? undefined : lossOfJson(member, inside(path, key));
    if (loss !== undefined) return loss;
  }
  return undefined;
}

function lossOfArray(value: readonly unknown[], path: string): string | undefined {
  if (Object.getPrototypeOf(value) !== Array.prototype) return says(path, value);
  const names = Object.keys(value);
  // The keys of an array are its indices first, then names.
  const extra = names.at(-1);
  if (extra !== undefined && !(Number(extra) < value.length)) {
    return says(inside(path, extra), (value as unknown as Record<string, unknown>)[extra]);
  }
  for (let index = 0; index < value.length; index += 1) {
    const loss = lossOfJson(value[index], inside(path, `[${index}]`));
    if (loss !== undefined) return loss;
  }
  return undefined;
}

function inside(path: string, key: string): string {
  const dot = path === 'the value' ? '' : path.slice(1, -1);
  const joined = key.startsWith('[') || dot === '' ? `${dot}${key}` : `${dot}.${key}`;
  return `\`${joined}\``;
}

function says(path: string, value: unknown): string {
  return `JSON does not keep ${path}, which is ${describeValue(value)}`;
}
