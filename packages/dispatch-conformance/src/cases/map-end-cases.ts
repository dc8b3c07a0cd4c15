import assert from 'node:assert/strict';
import type { CaseDraft } from '../conformance-case.ts';
import { rejected } from '../rejected.ts';
import { collect, countingInputs } from './map-inputs.ts';

/** `map()` that ends before its inputs do. */
export const mapEndCases: readonly CaseDraft[] = [
  {
    name: 'a consumer that leaves aborts what is in flight and ends the inputs',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 8 });
      const log = scratch.path('log');
      const until = scratch.path('never');
      const inputs = countingInputs(100, (index) =>
        index === 0 ? { mark: 'first' } : { mark: `${index}`, log, until },
      );
      for await (const outcome of dispatcher.map('hold', inputs, { concurrency: 3 })) {
        assert.deepEqual(outcome, { status: 'fulfilled', value: 'first' });
        await scratch.reached('log', 2);
        break;
      }
      await scratch.reached('log', 4);
      const aborted = scratch.lines('log').filter((line) => line.includes('aborted'));
      assert.equal(aborted.length, 2, 'tasks in flight whose signal aborted');
      assert.equal(inputs.returned, 1, 'calls of return()');
      assert.ok(inputs.read <= 4, `${inputs.read} inputs read`);
      assert.equal(dispatcher.stats().running, 0);
    },
  },
  {
    name: 'inputs that throw end map() with that, after what was read has settled',
    async act(stage) {
      const dispatcher = await stage.ready();
      const error = new Error('no more inputs');
      function* inputs(): Generator<number> {
        yield 1;
        yield 2;
        throw error;
      }
      for (const concurrency of [1, 2, 10]) {
        const values: unknown[] = [];
        const reading = (async () => {
          for await (const outcome of dispatcher.map('echo', inputs(), { concurrency })) {
            values.push(outcome.status === 'fulfilled' && outcome.value);
          }
        })();
        assert.equal(await rejected(reading), error);
        assert.deepEqual(values, [1, 2]);
      }
      const { asked, completed } = dispatcher.stats();
      assert.deepEqual({ asked, completed }, { asked: 6, completed: 6 });
    },
  },
  {
    name: 'async inputs that reject end map() alike',
    async act(stage) {
      const dispatcher = await stage.ready();
      const error = new Error('the source broke');
      async function* inputs(): AsyncGenerator<number> {
        yield 1;
        throw error;
      }
      const reading = collect(dispatcher.map('echo', inputs()));
      assert.equal(await rejected(reading), error);
    },
  },
  {
    name: 'the signal of map() ends what is in flight, with its reason',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 8 });
      const controller = stage.controller();
      const log = scratch.path('log');
      const until = scratch.path('never');
      const inputs = countingInputs(100, (index) => ({ log, mark: `${index}`, until }));
      const reason = new Error('no more of this');
      const reasons: unknown[] = [];
      const reading = (async () => {
        const options = { concurrency: 2, signal: controller.signal };
        for await (const outcome of dispatcher.map('hold', inputs, options)) {
          reasons.push(outcome.status === 'rejected' ? outcome.reason : 'an answer');
        }
      })();
      const ended = rejected(reading);
      await scratch.reached('log', 2);
      controller.abort(reason);
      assert.equal(await ended, reason);
      assert.ok(
        reasons.every((each) => each === reason),
        'no other reason',
      );
      assert.equal(inputs.read, 2);
      assert.equal(inputs.returned, 1, 'calls of return()');
    },
  },
  {
    name: 'close() ends map(): what is in flight is an outcome with ERR_CLOSED',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 8 });
      const log = scratch.path('log');
      const until = scratch.path('never');
      const inputs = countingInputs(4, (index) => ({ log, mark: `${index}`, until }));
      const codes: unknown[] = [];
      const reading = (async () => {
        for await (const outcome of dispatcher.map('hold', inputs, { concurrency: 2 })) {
          codes.push(outcome.status === 'rejected' ? outcome.reason.code : 'an answer');
        }
      })();
      await scratch.reached('log', 2);
      await Promise.all([dispatcher.close(), reading]);
      assert.deepEqual(new Set(codes), new Set(['ERR_CLOSED']));
    },
  },
];
