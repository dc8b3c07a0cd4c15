import assert from 'node:assert/strict';
import { turns } from '@ticketing/test-kit';
import type { CaseDraft } from '../conformance-case.ts';
import { collect, countingInputs } from './map-inputs.ts';

/** `map()` to the end of its inputs. */
export const mapCases: readonly CaseDraft[] = [
  {
    name: 'map() gives an outcome for each input, in the order of the inputs',
    async act(stage) {
      const dispatcher = await stage.ready({ max: 2 });
      const inputs = Array.from({ length: 200 }, (_, a) => ({ a, b: 1 }));
      const values = await collect(dispatcher.map('add', inputs, { concurrency: 20 }));
      assert.deepEqual(
        values,
        inputs.map(({ a }) => a + 1),
      );
    },
  },
  {
    name: 'map() of nothing gives nothing',
    async act(stage) {
      const dispatcher = await stage.ready();
      assert.deepEqual(await collect(dispatcher.map('echo', [])), []);
    },
  },
  {
    name: 'map() reads async inputs too, and other iterables',
    async act(stage) {
      const dispatcher = await stage.ready();
      async function* inputs(): AsyncGenerator<string> {
        yield 'a';
        await turns(2);
        yield 'b';
        yield 'c';
      }
      assert.deepEqual(await collect(dispatcher.map('echo', inputs())), ['a', 'b', 'c']);
      const set = new Set([1, 2]);
      assert.deepEqual(await collect(dispatcher.map('echo', set, { concurrency: 1 })), [1, 2]);
    },
  },
  {
    name: 'ordered outcomes wait for the first, unordered ones come as they settle',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 8 });
      for (const ordered of [true, false]) {
        const gate = `go-${ordered}`;
        const inputs = [
          { mark: 'slow', until: scratch.path(gate) },
          { mark: 'quick' },
          { mark: 'quick too' },
        ];
        const values: unknown[] = [];
        const outcomes = dispatcher.map('hold', inputs, { concurrency: 3, ordered });
        if (ordered) scratch.touch(gate);
        for await (const outcome of outcomes) {
          values.push(outcome.status === 'fulfilled' && outcome.value);
          if (values.length === 2) scratch.touch(gate);
        }
        assert.deepEqual(
          ordered ? values : [...values.slice(0, 2).sort(), values[2]],
          ordered ? ['slow', 'quick', 'quick too'] : ['quick', 'quick too', 'slow'],
        );
      }
    },
  },
  {
    name: 'ordered outcomes keep their order when the first settles last',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ window: 8 });
      const log = scratch.path('log');
      const inputs = [
        { mark: 'slow', until: scratch.path('go') },
        { mark: 'quick', log },
        { mark: 'quick too', log },
      ];
      const values = collect(dispatcher.map('hold', inputs, { concurrency: 3 }));
      await scratch.reached('log', 2);
      await dispatcher.run('echo', 'the quick ones have settled');
      scratch.touch('go');
      assert.deepEqual(await values, ['slow', 'quick', 'quick too']);
    },
  },
  {
    name: 'concurrency bounds the tasks in flight and the inputs read',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready({ max: 2, window: 8 });
      const log = scratch.path('log');
      const until = scratch.path('go');
      const inputs = countingInputs(12, (index) => ({ log, mark: `${index}`, until }));
      const values = collect(dispatcher.map('hold', inputs, { concurrency: 3, ordered: false }));
      await scratch.reached('log', 3);
      await turns();
      const { running, queued } = dispatcher.stats();
      assert.equal(running + queued, 3, 'tasks in flight');
      assert.equal(inputs.read, 3, 'inputs read');
      scratch.touch('go');
      assert.equal((await values).length, 12);
    },
  },
  {
    name: 'inputs are read no further ahead of the consumer than concurrency',
    async act(stage) {
      const dispatcher = await stage.ready();
      for (const ordered of [true, false]) {
        const inputs = countingInputs(20, (index) => index);
        let taken = 0;
        for await (const outcome of dispatcher.map('echo', inputs, { concurrency: 4, ordered })) {
          assert.equal(outcome.status, 'fulfilled');
          taken += 1;
          await dispatcher.run('echo', 'those in flight have settled');
          assert.ok(inputs.read <= taken + 4, `${inputs.read} read when ${taken} were taken`);
        }
        assert.equal(taken, 20);
      }
    },
  },
  {
    name: 'nothing is read before the first outcome is asked for',
    async act(stage) {
      const dispatcher = await stage.ready();
      const inputs = countingInputs(3, (index) => index);
      const outcomes = dispatcher.map('echo', inputs);
      await turns();
      assert.equal(inputs.read, 0);
      assert.deepEqual(await collect(outcomes), [0, 1, 2]);
    },
  },
  {
    name: 'map() waits where the queue is full: it never meets ERR_QUEUE_FULL',
    async act(stage) {
      const dispatcher = await stage.ready({ window: 1, maxQueue: 1 });
      const inputs = Array.from({ length: 50 }, (_, a) => ({ a, b: 0 }));
      const values = await collect(dispatcher.map('add', inputs, { concurrency: 10 }));
      assert.equal(values.length, 50);
    },
  },
  {
    name: 'a task that fails is an outcome among the others',
    async act(stage) {
      const dispatcher = await stage.ready();
      const reasons: unknown[] = [];
      for await (const outcome of dispatcher.map('fail', ['text', 'number', 'undefined'])) {
        reasons.push(outcome.status === 'rejected' ? outcome.reason : 'an answer');
      }
      assert.deepEqual(reasons, ['a text', 42, undefined]);
    },
  },
];
