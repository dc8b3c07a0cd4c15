import assert from 'node:assert/strict';
import { type CaseDraft, needsCopies } from '../conformance-case.ts';
import { rejectedWith } from '../rejected.ts';

/** What cannot be cloned, and what must not be shared. */
export const copyCases: readonly CaseDraft[] = [
  {
    name: 'an input that cannot be cloned rejects that call alone, and the worker lives',
    unless: needsCopies,
    async act(stage) {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const calls = [1, () => 1, 2, { symbol: Symbol('no') }, 3].map((input) =>
        dispatcher.run('echo', input),
      );
      const [one, first, two, second, three] = calls as [
        Promise<unknown>,
        Promise<unknown>,
        Promise<unknown>,
        Promise<unknown>,
        Promise<unknown>,
      ];
      const errors = [
        await rejectedWith('ERR_NOT_CLONEABLE', first),
        await rejectedWith('ERR_NOT_CLONEABLE', second),
      ];
      for (const { data, cause } of errors) {
        assert.equal(data.task, 'echo');
        assert.ok(cause !== undefined, 'a cause');
      }
      assert.deepEqual(await Promise.all([one, two, three]), [1, 2, 3]);
      assert.deepEqual((await dispatcher.run('tell', undefined)).workerId, before.workerId);
      assert.equal(dispatcher.stats().failed, 2);
    },
  },
  {
    name: 'a result that cannot be cloned rejects that call alone, and the worker lives',
    unless: needsCopies,
    async act(stage) {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const answers = [
        dispatcher.run('echo', 1),
        rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('returnFunction', undefined)),
        dispatcher.run('echo', 2),
        rejectedWith('ERR_NOT_CLONEABLE', dispatcher.run('returnFunction', undefined)),
        dispatcher.run('echo', 3),
      ];
      const [one, , two, , three] = await Promise.all(answers);
      assert.deepEqual([one, two, three], [1, 2, 3]);
      assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
    },
  },
  {
    name: 'a getter of an input that throws rejects that call alone',
    unless: needsCopies,
    async act(stage) {
      const dispatcher = await stage.ready();
      const trap = {
        get seat(): string {
          throw new Error('looked');
        },
      };
      const calls = [
        dispatcher.run('echo', 1),
        dispatcher.run('echo', trap),
        dispatcher.run('echo', 2),
      ];
      const outcomes = await Promise.allSettled(calls);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
    },
  },
  {
    name: 'one object in the inputs of two calls is two objects for the tasks, and the caller’s stays',
    unless: needsCopies,
    async act(stage) {
      const dispatcher = await stage.ready();
      const input = { list: ['given'], at: new Date(0) };
      const answers = await Promise.all([
        dispatcher.run('mutate', input),
        dispatcher.run('mutate', input),
        dispatcher.run('mutate', input),
      ]);
      for (const answer of answers) assert.deepEqual(answer, ['given', 'mutated']);
      assert.deepEqual(input.list, ['given']);
      assert.notEqual(answers[0], answers[1]);
    },
  },
  {
    name: 'an instance arrives with its members, without its class',
    unless: needsCopies,
    async act(stage) {
      class Seat {
        number = 12;
        side(): string {
          return 'window';
        }
      }
      const dispatcher = await stage.ready();
      assert.deepStrictEqual(await dispatcher.run('echo', new Seat()), { number: 12 });
    },
  },
];
