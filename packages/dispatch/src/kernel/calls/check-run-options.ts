import { types } from 'node:util';
import {
  aFlag,
  aFunction,
  anObject,
  aSignal,
  between,
  MAX_TIMER_MS,
  type Rule,
  unknownOption,
  whole,
  wholeBetween,
  wrongOption,
} from '@ticketing/kit';
import type { MapOptions, RunOptions } from '../../contract/dispatcher.ts';
import type { Transport } from '../../contract/transport.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { circuitOpen, closed, draining, unknownTask } from './call-errors.ts';

const aTime = between(1, MAX_TIMER_MS);
const aPriority = wholeBetween(-1000, 1000);
const aCount = wholeBetween(0, 100);
const aKey: Rule = { expected: 'a text', test: (value) => typeof value === 'string' };
const someTexts: Rule = { expected: 'an object of texts', test: isTexts };
const someBuffers: Rule = {
  expected: 'an array of ArrayBuffers',
  test: (value) => Array.isArray(value) && value.every(types.isArrayBuffer),
};
const aConcurrency = whole();

const RUN = 'run task';
const MAP = 'map tasks';

const SHARED = [
  ...['signal', 'timeoutMs', 'queueTimeoutMs', 'runTimeoutMs', 'priority', 'idempotent', 'retries'],
  ...['metadata', 'onProgress'],
];
const OWN = { [RUN]: ['key', 'transfer'], [MAP]: ['concurrency', 'ordered'] } as const;

/**
 * Checks the options of one call. `transfer` and `kind` are of the dispatcher.
 *
 * @throws TypeError for a value of the wrong type, an unknown option, `retries` alone or with `transfer`, and `transfer`
 * in vain; RangeError for a value out of range
 */
export function checkRunOptions(options: RunOptions, transfer: boolean, kind: string): void {
  if (!anObject.test(options)) throw wrongOption(RUN, 'options', anObject, options);
  // It runs on each call: no list of names is made.
  for (const name in options) {
    const value: unknown = options[name as keyof RunOptions];
    switch (name) {
      case 'key':
        check(RUN, name, aKey, value);
        break;
      case 'transfer':
        if (value === undefined) break;
        check(RUN, name, someBuffers, value);
        if (!transfer) throw cannotTransfer(kind);
        if (options.retries) throw retriesOfMoved();
        break;
      default:
        checkShared(RUN, name, value, options);
    }
  }
}

/** Checks the options of `map`. @throws TypeError or RangeError, as {@link checkRunOptions} */
export function checkMapOptions(options: MapOptions): void {
  if (!anObject.test(options)) throw wrongOption(MAP, 'options', anObject, options);
  for (const name in options) {
    const value: unknown = options[name as keyof MapOptions];
    switch (name) {
      case 'concurrency':
        check(MAP, name, aConcurrency, value);
        break;
      case 'ordered':
        check(MAP, name, aFlag, value);
        break;
      default:
        checkShared(MAP, name, value, options);
    }
  }
}

/** The options that both have. */
function checkShared(
  action: keyof typeof OWN,
  name: string,
  value: unknown,
  options: RunOptions | MapOptions,
): void {
  switch (name) {
    case 'signal':
      check(action, name, aSignal, value);
      break;
    case 'timeoutMs':
    case 'queueTimeoutMs':
    case 'runTimeoutMs':
      check(action, name, aTime, value);
      break;
    case 'priority':
      check(action, name, aPriority, value);
      break;
    case 'idempotent':
      check(action, name, aFlag, value);
      break;
    case 'retries':
      check(action, name, aCount, value);
      if ((value ?? 0) !== 0 && options.idempotent !== true) throw retriesAlone(action);
      break;
    case 'metadata':
      check(action, name, someTexts, value);
      break;
    case 'onProgress':
      check(action, name, aFunction, value);
      break;
    default:
      // What someone put on Object.prototype is no option of this call.
      if (Object.hasOwn(options, name))
        throw unknownOption(action, name, [...SHARED, ...OWN[action]]);
  }
}

/** Absent options are fine. */
function check(action: string, name: string, rule: Rule, value: unknown): void {
  if (value !== undefined && !rule.test(value)) throw wrongOption(action, name, rule, value);
}

function retriesAlone(action: string): TypeError {
  return new TypeError(`Cannot ${action}: idempotent expected with retries, got retries alone`);
}

function retriesOfMoved(): TypeError {
  return new TypeError(`Cannot ${RUN}: transfer without retries expected, got both`);
}

function cannotTransfer(kind: string): TypeError {
  return new TypeError(
    `Cannot ${RUN}: transfer on a dispatcher that can move buffers expected, got ${kind}`,
  );
}

/** A plain object: the entries of a Map or an instance's getters would not reach the task. */
function isTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  for (const name in value) {
    if (typeof (value as Record<string, unknown>)[name] !== 'string') return false;
  }
  return true;
}

/** @throws TypeError or RangeError for wrong use, or why a call is not taken now */
export function checkCall(
  task: string,
  options: RunOptions | undefined,
  state: {
    readonly name: string;
    readonly transport: Transport;
    readonly pool: WorkerPool;
    readonly isDraining: boolean;
    /** Undefined until a worker has said which there are. */
    readonly tasks: ReadonlySet<string> | undefined;
  },
): void {
  const { name, transport, pool, isDraining, tasks } = state;
  if (typeof task !== 'string') {
    throw new TypeError(`Cannot run task: a name expected, got ${typeof task}`);
  }
  if (options !== undefined) {
    checkRunOptions(options, transport.capabilities.transfer, transport.kind);
  }
  if (pool.isClosed) throw closed(name, task);
  if (isDraining) throw draining(name, task);
  if (tasks?.has(task) === false) throw unknownTask(name, task, tasks);
  if (pool.isBroken) throw circuitOpen(name, pool.circuit.lastError, task);
}
