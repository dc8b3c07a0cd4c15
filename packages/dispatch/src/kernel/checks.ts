import {
  aFlag,
  aFunction,
  anObject,
  aSignal,
  between,
  checkByRules,
  MAX_TIMER_MS,
  type Rule,
  unknownOption,
  whole,
  wholeBetween,
  wrongValue,
} from '@ticketing/kit';
import type {
  BroadcastOptions,
  CapacityOptions,
  CloseOptions,
  DrainOptions,
  MapOptions,
  RunOptions,
  StreamOptions,
} from '../contract/dispatcher.ts';
import { buffersRule, refusePool } from '../task-results.ts';

const aTime = between(1, MAX_TIMER_MS);
const aText: Rule = { expected: 'a text', test: (value) => typeof value === 'string' };

const sharedRules: readonly (readonly [name: string, rule: Rule])[] = [
  ['signal', aSignal],
  ['timeoutMs', aTime],
  ['queueTimeoutMs', aTime],
  ['runTimeoutMs', aTime],
  ['priority', wholeBetween(-1000, 1000)],
  ['idempotent', aFlag],
  ['retries', wholeBetween(0, 100)],
  ['metadata', { expected: 'an object of texts', test: isTexts }],
  ['onProgress', aFunction],
];
const runRules = new Map([
  ...sharedRules,
  ['key', aText],
  ['transfer', buffersRule],
  ['apartFrom', whole()],
  ['onWorker', aFunction],
  ['onNoWorker', aFunction],
  ['attempt', whole()],
]);
const streamRules = new Map([...runRules, ['window', wholeBetween(1, 65_536)]]);
streamRules.delete('attempt');
const broadcastRules = new Map<string, Rule>([
  ...sharedRules.filter(([name]) => !['idempotent', 'retries', 'onProgress'].includes(name)),
  ['later', aFlag],
]);
const mapRules = new Map([...sharedRules, ['concurrency', whole()], ['ordered', aFlag]]);

/**
 * Checks the options of one call. What is wrong of `transfer` is so in every kind, also where nothing is moved: a program
 * may change its kind.
 *
 * @throws TypeError for a value of the wrong type, an unknown option, `retries` alone or with `transfer`, and Node's shared
 * pool in `transfer`; RangeError for a value out of range
 */
export function checkRunOptions(
  options: RunOptions,
  action: 'run task' | 'stream task' = 'run task',
): void {
  check(action, options, action === 'run task' ? runRules : streamRules);
  if (options.apartFrom !== undefined && (options.retries || options.key !== undefined)) {
    const name = options.key === undefined ? 'retries' : 'key';
    throw new TypeError(
      `Cannot ${action}: \`${name}\` must be absent with \`apartFrom\`, since the call never waits`,
    );
  }
  const { transfer } = options;
  if (transfer === undefined || transfer.length === 0) return;
  refusePool(action, transfer);
  if (options.retries) {
    throw new TypeError(
      `Cannot ${action}: \`retries\` must be 0 with \`transfer\`, since moved buffers cannot be sent again`,
    );
  }
}

/** Checks the options of `broadcast`. @throws TypeError or RangeError, as {@link checkRunOptions} */
export function checkBroadcastOptions(options: BroadcastOptions): void {
  check('broadcast task', options, broadcastRules);
}

/** Checks the options of `stream`. @throws TypeError or RangeError, as {@link checkRunOptions} */
export function checkStreamOptions(options: StreamOptions): void {
  checkRunOptions(options, 'stream task');
}

/** Checks the options of `map`. @throws TypeError or RangeError, as {@link checkRunOptions} */
export function checkMapOptions(options: MapOptions): void {
  check('map tasks', options, mapRules);
}

/** Checks the options of `drain`. @throws TypeError or RangeError */
export function checkDrainOptions(options: DrainOptions): void {
  checkByRules('drain', options, { timeoutMs: aTime });
}

/** Checks what `capacity` gets. @throws TypeError */
export function checkCapacity(
  signal: AbortSignal | undefined,
  options: CapacityOptions | undefined,
): void {
  const action = 'wait for capacity';
  if (signal !== undefined && !aSignal.test(signal)) {
    throw wrongValue(action, 'signal', aSignal, signal);
  }
  if (options !== undefined) checkByRules(action, options, { key: aText });
}

/** Checks the options of `close`. @throws TypeError or RangeError */
export function checkCloseOptions(options: CloseOptions): void {
  checkByRules('close', options, { graceMs: between(0, MAX_TIMER_MS) });
}

function check(
  action: string,
  options: RunOptions | MapOptions | BroadcastOptions,
  rules: ReadonlyMap<string, Rule>,
): void {
  if (!anObject.test(options)) throw wrongValue(action, 'options', anObject, options);
  // It runs on each call, so it makes no list of names, as `checkByRules` does.
  for (const name in options) {
    const rule = rules.get(name);
    const value: unknown = options[name as keyof typeof options];
    if (rule === undefined) {
      // A member of Object.prototype is no option of this call.
      if (Object.hasOwn(options, name)) throw unknownOption(action, name, [...rules.keys()]);
    } else if (value !== undefined && !rule.test(value)) {
      throw wrongValue(action, name, rule, value);
    }
  }
  if ('retries' in options && options.retries && options.idempotent !== true) {
    throw new TypeError(`Cannot ${action}: \`idempotent\` must be true with \`retries\``);
  }
}

/** Accepts a plain object: the entries of a Map or an instance's getters would not reach the task. */
function isTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  for (const name in value) {
    const isText = typeof (value as Record<string, unknown>)[name] === 'string';
    // A member of Object.prototype does not reach the task.
    if (!isText && Object.hasOwn(value, name)) return false;
  }
  return true;
}

/** Checks the name of a task. @throws TypeError */
export function checkTaskName(task: string): void {
  if (typeof task !== 'string') throw wrongValue('run task', 'task', aText, task);
}
