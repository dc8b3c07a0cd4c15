import assert from 'node:assert/strict';
import type { MapOptions, PoolOptions, RunOptions } from '@ticketing/dispatch';
import type { CaseDraft } from '../conformance-case.ts';
import { rejected, rejectedWith } from '../rejected.ts';
import { collect } from './map-inputs.ts';

const wrongRun: readonly (readonly [unknown, typeof TypeError | typeof RangeError])[] = [
  [{ timeout: 5 }, TypeError],
  [{ signal: {} }, TypeError],
  [{ timeoutMs: -1 }, RangeError],
  [{ timeoutMs: Number.NaN }, RangeError],
  [{ queueTimeoutMs: 0 }, RangeError],
  [{ runTimeoutMs: 2 ** 31 }, RangeError],
  [{ priority: 0.5 }, RangeError],
  [{ priority: 1001 }, RangeError],
  [{ key: 5 }, TypeError],
  [{ retries: -1, idempotent: true }, RangeError],
  [{ idempotent: 'yes' }, TypeError],
  [{ transfer: 'all' }, TypeError],
  [{ metadata: { number: 5 } }, TypeError],
  [{ onProgress: true }, TypeError],
  ['options', TypeError],
  [null, TypeError],
];

const wrongPool: readonly (readonly [unknown, typeof TypeError | typeof RangeError])[] = [
  [{ max: 0 }, RangeError],
  [{ min: -1 }, RangeError],
  [{ min: 3, max: 2 }, RangeError],
  [{ maxQueue: -1 }, RangeError],
  [{ abortGraceMs: -1 }, RangeError],
  [{ healthMs: 0 }, RangeError],
  [{ recycle: { tasks: 0 } }, RangeError],
  [{ restart: { intensity: -1 } }, RangeError],
  [{ recycle: { task: 1 } }, TypeError],
  [{ workers: 2 }, TypeError],
];

const wrongMap: readonly (readonly [unknown, typeof TypeError | typeof RangeError])[] = [
  [{ concurrency: 0 }, RangeError],
  [{ ordered: 'yes' }, TypeError],
  [{ parallel: 2 }, TypeError],
];

/** Options and names that are wrong. */
export const optionCases: readonly CaseDraft[] = [
  {
    name: 'a task that the module does not have is ERR_UNKNOWN_TASK, before and after the start',
    async act(stage) {
      const dispatcher = await stage.dispatcher();
      const names = ['none', 'toString', 'constructor', '__proto__', ''] as unknown as 'echo'[];
      for (const name of names) await rejectedWith('ERR_UNKNOWN_TASK', dispatcher.run(name, 1));
      await dispatcher.ready();
      for (const name of names) await rejectedWith('ERR_UNKNOWN_TASK', dispatcher.run(name, 1));
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  {
    name: 'wrong options of run() are a TypeError or RangeError, as a rejection',
    async act(stage) {
      const dispatcher = await stage.ready();
      for (const [options, expected] of wrongRun) {
        const call = dispatcher.run('echo', 1, options as RunOptions);
        assertIs(await rejected(call), expected, options);
      }
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  {
    name: 'wrong options of map() are a TypeError or RangeError',
    async act(stage) {
      const dispatcher = await stage.ready();
      for (const [options, expected] of wrongMap) {
        const mapping = (async () => collect(dispatcher.map('echo', [1], options as MapOptions)))();
        assertIs(await rejected(mapping), expected, options);
      }
    },
  },
  {
    name: 'wrong options of drain() and close() are a TypeError or RangeError, and change nothing',
    async act(stage) {
      const dispatcher = await stage.ready();
      assertIs(await rejected(dispatcher.drain({ timeoutMs: -1 })), RangeError, 'drain');
      assertIs(await rejected(dispatcher.close({ graceMs: -1 })), RangeError, 'close');
      assert.equal(dispatcher.state, 'ready');
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  },
  {
    name: 'wrong options of the dispatcher are a TypeError or RangeError, and nothing starts',
    async act(stage) {
      for (const [options, expected] of wrongPool) {
        const creating = (async () => stage.dispatcher(options as PoolOptions))();
        assertIs(await rejected(creating), expected, options);
      }
    },
  },
];

function assertIs(error: unknown, expected: new () => Error, options: unknown): void {
  const given = JSON.stringify(options);
  assert.ok(error instanceof expected, `a ${expected.name} for ${given} expected, got ${error}`);
}
