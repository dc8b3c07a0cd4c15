import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { appendFileSync, existsSync, writeSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import {
  defineTasks,
  json,
  rawJson,
  type TaskContext,
  type TaskModule,
  transferred,
} from '@ticketing/dispatch/worker';
import {
  type ConformanceTasks,
  contextKey,
  type Failure,
  setupDataKey,
  type TaskEvent,
} from '../conformance-task-map.ts';
import { platformObjects } from '../platform-objects.ts';

/** Milliseconds after which endless tasks end, so that a failed case leaves no busy process. */
const FOR_EVER_MS = 30_000;
const LOOK_AGAIN_MS = 3;

let isSick = false;
let remembered: unknown;
let viewed = new Uint8Array(0);

const taskChannel = tracingChannel<unknown, object>('ticketing:dispatch:task');
const taskStore = new AsyncLocalStorage<unknown>();
const taskEvents: TaskEvent[] = [];
const taskSubscribers = Object.fromEntries(
  (['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const).map((event) => [
    event,
    (given: object) => {
      const { result: _, error: __, ...message } = given as Record<string, unknown>;
      taskEvents.push({ event, message });
    },
  ]),
) as unknown as TracingChannelSubscribers<object>;

const module: TaskModule<ConformanceTasks> = defineTasks<ConformanceTasks>(
  {
    echo: (input) => input,
    add: ({ a, b }) => a + b,
    mark(input) {
      note(input);
      return input.mark;
    },
    async hold({ log, mark = 'held', until }, context) {
      note({ log, mark });
      context.progress('started');
      if (until === undefined) return mark;
      try {
        await fileThere(until, context.signal);
      } catch (reason) {
        note({
          log,
          mark: `${mark} aborted: ${reason instanceof Error ? reason.message : reason}`,
        });
        throw reason;
      }
      return mark;
    },
    ignoreAbort(_input, context) {
      context.progress('started');
      return new Promise(() => {});
    },
    block({ log, mark, until, exitCode }) {
      note({ log, mark });
      for (const end = performance.now() + FOR_EVER_MS; performance.now() < end; sleep()) {
        if (existsSync(until)) break;
      }
      if (exitCode !== undefined) process.exit(exitCode);
      return mark;
    },
    spin({ ms = FOR_EVER_MS, log, mark = 'spun' }) {
      note({ log, mark });
      const end = performance.now() + ms;
      while (performance.now() < end);
      return mark;
    },
    exit({ code, say, log, mark = 'exit', firstOnly }, { attempt }) {
      note({ log, mark: `${mark} ${attempt}` });
      if (firstOnly && attempt > 1) return attempt;
      if (say !== undefined) writeSync(2, say);
      process.exit(code);
    },
    signalSelf(signal) {
      process.kill(process.pid, signal);
      return new Promise(() => {});
    },
    throwLater(message) {
      setTimeout(() => {
        throw new Error(message);
      }, 0);
      return new Promise(() => {});
    },
    rejectLater(message) {
      setTimeout(() => void Promise.reject(new Error(message)), 0);
      return new Promise(() => {});
    },
    exhaustMemory() {
      for (const kept: unknown[] = []; ; ) kept.push(new Array(100_000).fill(kept.length + 0.5));
    },
    fail: (kind) => throwFailure(kind),
    returnFunction: () => () => 1,
    returnPlatformObject: (name) => ({
      at: new Date(0),
      of: [platformObjects.get(name)?.create()],
    }),
    report({ times }, { progress }) {
      for (let time = 1; time <= times; time += 1) progress(time);
      return times;
    },
    reportFunction(_input, context) {
      context.progress(() => 1);
      return 'reported';
    },
    reportLate(input, context) {
      setImmediate(() => {
        context.progress('late');
        note(input);
      });
      return 'answered';
    },
    json: (input) => rawJson(input),
    kept: json((input) => input),
    bytes({ length, value }) {
      const bytes = new Uint8Array(length).fill(value);
      return transferred(bytes, [bytes.buffer]);
    },
    view(kind) {
      if (kind === 'pooled') {
        viewed = Buffer.from('kept');
        return transferred(Buffer.from('moved'));
      }
      const bytes = Uint8Array.of(1, 2, 3, 4);
      viewed = bytes;
      return transferred(kind === 'whole' ? bytes : bytes.subarray(1, 3));
    },
    // A moved array has no bytes, and cannot be iterated.
    viewed: () => (viewed.length === 0 ? [] : [...viewed]),
    async talk({ port }) {
      const [heard] = (await once(port, 'message')) as [unknown];
      port.postMessage('heard');
      port.close();
      return heard;
    },
    counter() {
      const { port1, port2 } = new MessageChannel();
      port1.on('message', (number: number) => {
        if (number === 0) port1.close();
        else port1.postMessage(number + 1);
      });
      // The port must not keep its worker alive, which may be this process, even if the result cannot be sent.
      port1.unref();
      return transferred({ port: port2 }, [port2]);
    },
    mutate({ list }) {
      list.push('mutated');
      return list;
    },
    tell: (_input, context) => told(context),
    context: () => contextStore()?.getStore(),
    traceTasks(begins) {
      if (begins) {
        taskEvents.length = 0;
        taskChannel.subscribe(taskSubscribers);
        taskChannel.start.bindStore(taskStore, (message) => ({ ...(message as object) }));
      } else {
        taskChannel.unsubscribe(taskSubscribers);
        taskChannel.start.unbindStore(taskStore);
      }
      return [...taskEvents];
    },
    async traced() {
      const before = taskStore.getStore();
      await new Promise((resolve) => setImmediate(resolve));
      return [before, taskStore.getStore()];
    },
    data: (_input, { workerData }) => ({
      data: workerData,
      atSetup: (globalThis as { [setupDataKey]?: unknown })[setupDataKey],
      slotVariable: process.env['TICKETING_WORKER_SLOT'],
    }),
    remember({ value, ...input }) {
      remembered = value;
      note(input);
      return input.mark;
    },
    recall: () => remembered,
    async *items({ log, count = Number.POSITIVE_INFINITY, ...plan }, { attempt, signal }) {
      note({ log, mark: `begun ${attempt}` });
      try {
        for (let item = 1; item <= count; item += 1) {
          if (item === plan.throwsAt) throw Object.assign(new Error('sold out'), { code: 'ESOLD' });
          if (item === plan.exitsAt && !(plan.firstOnly && attempt > 1)) process.exit(3);
          if (item === plan.waitsAt) note({ log, mark: 'waits' });
          if (item === plan.waitsAt && plan.hangs) await new Promise(() => {});
          if (item === plan.waitsAt && !signal.aborted) await once(signal, 'abort');
          note({ log, mark: `item ${item}` });
          yield item;
        }
      } finally {
        note({ log, mark: 'ended' });
      }
    },
    async *jsonItems(values) {
      for (const value of values) yield rawJson(value);
    },
    async *byteItems(lengths, { progress }) {
      for (const length of lengths) {
        const bytes = new Uint8Array(length).fill(length);
        progress(length);
        yield transferred(bytes, [bytes.buffer]);
      }
    },
    async *functionItems(input) {
      try {
        yield 1;
        yield () => 2;
      } finally {
        note(input);
      }
    },
    async *tracedItems() {
      yield taskStore.getStore();
      await new Promise((resolve) => setImmediate(resolve));
      yield taskStore.getStore();
    },
    sicken() {
      isSick = true;
      return 'sick';
    },
  },
  {
    report: () => ({ pid: process.pid }),
    health() {
      if (!isSick) return;
      isSick = false;
      throw new Error('sick');
    },
  },
);
export default module;

function note({ log, mark }: { log?: string | undefined; mark: string }): void {
  if (log !== undefined) appendFileSync(log, `${mark}\n`);
}

/** Resolves when a file exists. @throws the signal's reason */
async function fileThere(path: string, signal: AbortSignal): Promise<void> {
  for (const end = performance.now() + FOR_EVER_MS; performance.now() < end; ) {
    signal.throwIfAborted();
    if (existsSync(path)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

function sleep(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
}

function told(context: TaskContext): ReturnType<ConformanceTasks['tell']> {
  const { id, attempt, deadline, workerId, slot, metadata, signal } = context;
  const { pid } = process;
  return {
    id,
    attempt,
    deadline,
    workerId,
    slot,
    metadata: { ...metadata },
    aborted: signal.aborted,
    pid,
  };
}

function contextStore(): AsyncLocalStorage<unknown> | undefined {
  return (globalThis as { [contextKey]?: AsyncLocalStorage<unknown> })[contextKey];
}

class SeatTaken extends Error {
  static {
    Object.defineProperty(SeatTaken.prototype, 'name', { value: 'SeatTaken' });
  }
  readonly seat = '12A';
}

/** Throws the value that `kind` names. */
function throwFailure(kind: Failure): never {
  switch (kind) {
    case 'aggregate':
      throw new AggregateError([new RangeError('first'), 'second'], 'several');
    case 'caused':
      throw new Error('outer', { cause: new TypeError('middle', { cause: { inner: [1, 2] } }) });
    case 'class':
      throw new SeatTaken('the seat is taken');
    case 'coded':
      throw Object.assign(new Error('no such file'), {
        code: 'ENOENT',
        errno: -2,
        at: new Date(0),
      });
    case 'cycle': {
      const error: Error & { self?: unknown } = new Error('round and round');
      error.self = error;
      error.cause = error;
      throw error;
    }
    case 'getter': {
      const error = Object.assign(new Error('look not'), { code: 'ELOOK' });
      const trap = {
        enumerable: true,
        get() {
          throw new Error('looked');
        },
      };
      throw Object.defineProperty(error, 'trap', trap);
    }
    case 'null':
      throw null;
    case 'number':
      throw 42;
    case 'text':
      throw 'a text';
    case 'response':
      throw new Response('no train', { status: 404 });
    case 'suppressed':
      throw suppressedError();
    case 'type':
      throw new TypeError('of a built-in class');
    case 'uncloneable':
      throw Object.assign(new Error('half of it'), { code: 'EHALF', call: () => 1 });
    default:
      throw undefined;
  }
}

/** Returns a SuppressedError, also on a platform without the class: its members are not enumerable. */
function suppressedError(): Error {
  const hidden = { configurable: true, writable: true };
  return Object.defineProperties(new Error('both failed'), {
    name: { ...hidden, value: 'SuppressedError' },
    error: { ...hidden, value: new RangeError('at the end') },
    suppressed: { ...hidden, value: new TypeError('at first') },
  });
}
