import { once } from 'node:events';
import type { Dispatcher, MapOptions } from '@ticketing/dispatch';
import type { ConformanceTasks } from '@ticketing/dispatch-conformance';
import type { Breakage } from './broken-dispatcher.ts';

const noop = (): void => {};

/** Breakages, each with the case that must notice it and the message of that case. */
export const breakages: readonly (readonly [what: string, name: string, says: RegExp, Breakage])[] =
  [
    [
      'has no bound on its queue',
      'queue: calls with their own signals stay within the bound',
      /calls that wait/,
      { options: (options) => ({ ...options, maxQueue: 10_000 }) },
    ],
    [
      'keeps a worker that has nothing to do',
      'start: with min 0 there is no worker before the first call, one for it, and none after idleTimeoutMs',
      /Expected|deep-equal|spawned/,
      { options: ({ min: _, ...options }) => options },
    ],
    [
      'gives its worker more than the window',
      'queue: a numeric window bounds the calls of a worker; the next is sent when one settles',
      /.+/,
      { options: (options) => ({ ...options, window: 8 }) },
    ],
    [
      'says that there is room when there is none',
      'capacity: capacity() waits while the queue is full, and the call after it is taken',
      /no room while the queue is full|ERR_QUEUE_FULL/,
      { others: () => ({ capacity: () => Promise.resolve() }) },
    ],
    [
      'does not know priorities',
      'order: a higher priority goes first, a lower one last',
      /.+/,
      {
        run: (run, task, input, { priority: _, ...options } = {}) => run(task, input, options),
      },
    ],
    [
      'runs a task twice',
      'start: calls made before a worker is ready are answered in their order',
      /.+/,
      {
        run(run, task, input, options) {
          run(task, input, options).catch(noop);
          return run(task, input, options);
        },
      },
    ],
    [
      'rejects with a reason of its own when the caller aborts',
      'abort: abort while queued rejects with the same reason, frees its place in the queue, and nothing starts',
      /AbortError/,
      {
        run: (run, task, input, options) =>
          run(task, input, options).catch((error: unknown) => {
            throw options?.signal?.aborted ? new DOMException('aborted', 'AbortError') : error;
          }),
      },
    ],
    [
      'starts a task whose signal is aborted already',
      'abort: a signal that is aborted already rejects with its reason, and nothing starts',
      /.+/,
      {
        run(run, task, input, { signal, ...options } = {}) {
          const call = run(task, input, options);
          return signal?.aborted ? Promise.reject(signal.reason) : call;
        },
      },
    ],
    [
      'rejects the caller and lets the task run on',
      'abort: abort while running rejects at once, the task’s signal aborts, and the worker stays',
      /the end of "abort while running rejects at once/,
      {
        run(run, task, input, { signal, ...options } = {}) {
          const call = run(task, input, options);
          if (signal === undefined) return call;
          call.catch(noop);
          return Promise.race([
            call,
            once(signal, 'abort').then(() => Promise.reject(signal.reason)),
          ]);
        },
      },
    ],
    [
      'leaves a listener on the signal',
      'abort: abort after the answer changes nothing',
      /must leave no listener/,
      {
        run(run, task, input, options) {
          options?.signal?.addEventListener('abort', noop);
          return run(task, input, options);
        },
      },
    ],
    [
      'counts the time to run from the call',
      'timeouts: runTimeoutMs does not count while the task waits in the queue',
      /ERR_TIMEOUT|timeoutMs` \(100 ms\)/,
      {
        run(run, task, input, { runTimeoutMs: timeoutMs, ...options } = {}) {
          return run(task, input, timeoutMs === undefined ? options : { ...options, timeoutMs });
        },
      },
    ],
    [
      'takes one limit for another',
      'timeouts: queueTimeoutMs does not end a task that has started',
      /timeoutMs` \(50 ms\)/,
      {
        run(run, task, input, { queueTimeoutMs: timeoutMs, ...options } = {}) {
          return run(task, input, timeoutMs === undefined ? options : { ...options, timeoutMs });
        },
      },
    ],
    [
      'drops codes and properties of errors',
      'errors: name, message, code and own properties arrives when a task throws it',
      /ENOENT/,
      {
        run: (run, task, input, options) =>
          run(task, input, options).catch((error: unknown) => {
            throw new Error((error as Error).message);
          }),
      },
    ],
    [
      'makes an error of whatever is thrown',
      'errors: undefined arrives when a task throws it',
      /undefined/,
      {
        run: (run, task, input, options) =>
          run(task, input, options).catch((error: unknown) => {
            throw error ?? new Error('unknown');
          }),
      },
    ],
    [
      'passes values as JSON',
      'values: values of each kind arrive as they are, to the task and back',
      /undefined/,
      {
        run: async (run, task, input, options) =>
          JSON.parse(JSON.stringify((await run(task, input, options)) ?? null)),
      },
    ],
    [
      'brings progress after the answer',
      'progress: onProgress gets everything in order, and all of it before the call resolves',
      /resolved/,
      {
        run: (run, task, input, { onProgress, ...options } = {}) =>
          run(task, input, {
            ...options,
            ...(onProgress && { onProgress: (data) => void setImmediate(onProgress, data) }),
          }),
      },
    ],
    [
      'passes over what onProgress throws',
      'progress: an onProgress that throws rejects its call with that, and the worker stays',
      /must reject/,
      {
        run: (run, task, input, { onProgress, ...options } = {}) =>
          run(task, input, {
            ...options,
            onProgress(data) {
              try {
                onProgress?.(data);
              } catch {
                // The frame is lost: this is the breakage.
              }
            },
          }),
      },
    ],
    [
      'loses metadata',
      'context: a task knows its call, its worker, its attempt and its metadata',
      /es-ES/,
      { run: (run, task, input) => run(task, input) },
    ],
    [
      'has no order in map()',
      'map: ordered outcomes keep their order when the first settles last',
      /quick/,
      { others: (good) => ({ map: remap(good, (options) => ({ ...options, ordered: false })) }) },
    ],
    [
      'reads all inputs of map() at once',
      'map: concurrency bounds the tasks in flight and the inputs read',
      /inputs read/,
      {
        others: (good) => ({
          map: (task: 'echo', inputs: Iterable<unknown>, options: MapOptions) =>
            good.map(task, [...inputs], options),
        }),
      },
    ],
    [
      'runs more than the concurrency of map()',
      'map: concurrency bounds the tasks in flight and the inputs read',
      /tasks in flight/,
      { others: (good) => ({ map: remap(good, (options) => ({ ...options, concurrency: 9 })) }) },
    ],
    [
      'leaves the inputs of map() open',
      'map ends: a consumer that stops early aborts the calls in flight and ends the inputs',
      /calls of return/,
      {
        others: (good) => ({
          map(task: 'echo', inputs: Iterable<unknown>, options: MapOptions) {
            const iterator = inputs[Symbol.iterator]();
            return good.map(
              task,
              { [Symbol.iterator]: () => ({ next: () => iterator.next() }) },
              options,
            );
          },
        }),
      },
    ],
    [
      'runs a broadcast on one worker alone',
      'broadcast: a task runs once on each worker, and each outcome has the worker',
      /workerId/,
      {
        others: (good) => ({
          async broadcast(...call: Parameters<typeof good.broadcast>) {
            return (await good.broadcast(...call)).slice(0, 1);
          },
        }),
      },
    ],
    [
      'has later workers run a broadcast that they should not',
      'broadcast: without later a worker that starts does not run it',
      /.+/,
      {
        others: (good) => ({
          broadcast: (task: 'echo', input: unknown) => good.broadcast(task, input, { later: true }),
        }),
      },
    ],
    [
      'reads a stream ahead of its consumer',
      'streams: a task is never more than the window ahead of its consumer',
      /items made/,
      {
        others: (good) => ({
          stream: (task: 'items', input: object, options: object) =>
            good.stream(task, input, { ...options, window: 64 }),
        }),
      },
    ],
    [
      'drains without waiting',
      'drain: drain() waits for running and queued calls, takes no more, and reports',
      /drained before/,
      {
        others: (good) => ({
          drain() {
            void good.drain();
            return Promise.resolve({ completed: 3, aborted: 0 });
          },
        }),
      },
    ],
    [
      'reloads nothing',
      'reload: reload() replaces every worker, and none is lost',
      /1,2 and 1,2/,
      { others: () => ({ reload: () => Promise.resolve() }) },
    ],
    [
      'throws where it should reject',
      'close: after close() calls reject with ERR_CLOSED, none throws',
      /thrown, not rejected/,
      {
        others: (good) => ({
          run(...call: Parameters<typeof good.run>) {
            if (good.state === 'closed') throw new Error('thrown, not rejected');
            return good.run(...call);
          },
        }),
      },
    ],
    [
      'rejects after close() with an error without a code',
      'close: after close() calls reject with ERR_CLOSED, none throws',
      /code ERR_CLOSED/,
      { others: () => ({ run: () => Promise.reject(new Error('closed')) }) },
    ],
    [
      'does not count',
      'statistics: each call is counted once, by how it ended',
      /.+/,
      { others: (good) => ({ stats: () => ({ ...good.stats(), completed: 0 }) }) },
    ],
    [
      'forgets calls that it counted',
      'values: rawJson of 5 MB arrives whole',
      /calls asked, and calls completed/,
      {
        others: (good) => ({
          stats: () => ({ ...good.stats(), asked: good.stats().asked + 1 }),
        }),
      },
    ],
    [
      'ignores options that it does not know',
      'options: wrong options of run() are a TypeError or RangeError, as a rejection',
      /must reject/,
      { run: (run, task, input) => run(task, input) },
    ],
  ];

function remap(
  good: Dispatcher<ConformanceTasks>,
  change: (options: MapOptions) => MapOptions,
): unknown {
  return (task: 'echo', inputs: Iterable<unknown>, options: MapOptions = {}) =>
    good.map(task, inputs, change(options));
}
