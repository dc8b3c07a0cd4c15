import assert from 'node:assert/strict';
import { coded, rejectedWith } from '../../calls.ts';
import { type CaseDraft, needsCopies, needsIsolation, test } from '../../conformance-case.ts';

const value = {
  lines: new Map([['AVE', 310]]),
  since: new Date(0),
  table: Uint8Array.of(1, 2, 255),
  nested: { list: [undefined, null, 2n ** 70n] },
};

/** The option `workerData`, and the slot in the environment. */
export const workerDataCases: readonly CaseDraft[] = [
  test('tasks and setup get workerData, in each worker and its successor', async (stage) => {
    const module = stage.plannedModule({ log: stage.scratch.path('log') });
    const dispatcher = await stage.ready({ max: 2, workerData: value }, module);
    const look = async (): Promise<void> => {
      for (const key of ['a', 'b', 'c', 'd']) {
        const { data, atSetup } = await dispatcher.run('data', undefined, { key });
        assert.deepStrictEqual(data, value);
        assert.deepStrictEqual(atSetup, value);
      }
    };
    await look();
    await dispatcher.reload();
    await look();
  }),
  test('null and undefined are workerData too', async (stage) => {
    for (const workerData of [null, undefined, false]) {
      const dispatcher = await stage.ready({ workerData });
      assert.equal((await dispatcher.run('data', undefined)).data, workerData);
    }
  }),
  test('a function makes the workerData of each slot, anew for each start', async (stage) => {
    const slots: number[] = [];
    const workerData = (slot: number): unknown => {
      slots.push(slot);
      return { slot, start: slots.length };
    };
    const dispatcher = await stage.ready({ max: 2, workerData });
    const look = async (): Promise<void> => {
      for (const key of ['a', 'b', 'c', 'd']) {
        const [{ data }, { slot }] = await Promise.all([
          dispatcher.run('data', undefined, { key }),
          dispatcher.run('tell', undefined, { key }),
        ]);
        assert.equal((data as { slot: number }).slot, slot);
      }
    };
    await look();
    await dispatcher.reload();
    await look();
    assert.deepEqual(slots.slice(0, 2).sort(), [0, 1]);
    assert.deepEqual(slots.slice(2).sort(), [0, 1]);
  }),
  test('workerData of 5 MB arrives', async (stage) => {
    const dispatcher = await stage.ready({ workerData: { text: 'é'.repeat(2_500_000) } });
    const { data } = await dispatcher.run('data', undefined);
    assert.equal((data as { text: string }).text.length, 2_500_000);
  }),
  test('a function that throws is a failed start: the next start asks it again', async (stage) => {
    let asked = 0;
    const workerData = (): number => {
      asked += 1;
      if (asked < 3) throw new Error('not yet');
      return asked;
    };
    const restart = { backoffMs: [1, 5], maxFailures: 5 } as const;
    const dispatcher = await stage.dispatcher({ workerData, restart });
    assert.equal((await dispatcher.run('data', undefined)).data, 3);
  }),
  test(
    'workerData that cannot be cloned is tried once: ERR_NOT_CLONEABLE is the cause',
    needsCopies,
    async (stage) => {
      for (const uncloneable of [() => 1, new URL('http://trains.test/')]) {
        const workerData = (): unknown => ({ inside: uncloneable });
        const dispatcher = await stage.dispatcher({ workerData });
        const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
        assert.match(
          coded('ERR_NOT_CLONEABLE', error.cause).message,
          /`workerData` to the worker of slot 0/,
        );
        assert.equal(dispatcher.stats().spawned, 1);
      }
    },
  ),
  test('what a task changes of workerData stays in its worker', needsCopies, async (stage) => {
    const workerData = { list: ['given'] };
    const dispatcher = await stage.ready({ workerData });
    workerData.list.push('later');
    assert.deepEqual((await dispatcher.run('data', undefined)).data, { list: ['given'] });
  }),
  test(
    'TICKETING_WORKER_SLOT is the slot of the worker, also of a successor',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.ready({ max: 2 });
      const look = async (): Promise<void> => {
        for (const key of ['a', 'b', 'c', 'd']) {
          const [{ slotVariable }, { slot }] = await Promise.all([
            dispatcher.run('data', undefined, { key }),
            dispatcher.run('tell', undefined, { key }),
          ]);
          assert.equal(slotVariable, String(slot));
        }
      };
      await look();
      await dispatcher.reload();
      await look();
    },
  ),
].map((draft) => ({ ...draft, needsWorkerData: true }));
