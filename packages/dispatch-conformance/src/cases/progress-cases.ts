import assert from 'node:assert/strict';
import { turns } from '@ticketing/test-kit';
import { type CaseDraft, needsCopies } from '../conformance-case.ts';
import { rejected, rejectedWith } from '../rejected.ts';

/** What tasks report while they run. */
export const progressCases: readonly CaseDraft[] = [
  {
    name: 'onProgress gets everything in order, and all of it before the call resolves',
    async act(stage) {
      const dispatcher = await stage.ready();
      const heard: unknown[] = [];
      const call = dispatcher.run(
        'report',
        { times: 100 },
        { onProgress: (data) => heard.push(data) },
      );
      const times = await call.then((value) => {
        heard.push('resolved');
        return value;
      });
      await turns();
      const numbers = Array.from({ length: times }, (_, index) => index + 1);
      assert.deepEqual(heard, [...numbers, 'resolved']);
    },
  },
  {
    name: 'reports of calls at once go each to its own caller',
    async act(stage) {
      const dispatcher = await stage.ready();
      const heard = new Map<number, unknown[]>();
      const calls = [1, 2, 3, 4, 5].map((times) => {
        const own: unknown[] = [];
        heard.set(times, own);
        return dispatcher.run('report', { times }, { onProgress: (data) => own.push(data) });
      });
      await Promise.all(calls);
      for (const [times, own] of heard) {
        assert.deepEqual(
          own,
          Array.from({ length: times }, (_, index) => index + 1),
        );
      }
    },
  },
  {
    name: 'nobody need listen',
    async act(stage) {
      const dispatcher = await stage.ready();
      assert.equal(await dispatcher.run('report', { times: 3 }), 3);
    },
  },
  {
    name: 'an onProgress that throws rejects its call with that, and the worker stays',
    async act(stage) {
      const dispatcher = await stage.ready();
      const before = await dispatcher.run('tell', undefined);
      const error = new Error('thrown by onProgress');
      let calls = 0;
      const call = dispatcher.run(
        'report',
        { times: 10 },
        {
          onProgress() {
            calls += 1;
            throw error;
          },
        },
      );
      assert.equal(await rejected(call), error);
      assert.equal((await dispatcher.run('tell', undefined)).workerId, before.workerId);
      assert.equal(calls, 1, 'calls of onProgress');
      assert.equal(dispatcher.stats().failed, 1);
    },
  },
  {
    name: 'what is reported after the answer reaches nobody',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await stage.ready();
      const heard: unknown[] = [];
      const answer = await dispatcher.run(
        'reportLate',
        { log: scratch.path('log'), mark: 'reported late' },
        { onProgress: (data) => heard.push(data) },
      );
      assert.equal(answer, 'answered');
      await scratch.reached('log', 1);
      await dispatcher.run('echo', 1);
      assert.deepEqual(heard, []);
    },
  },
  {
    name: 'nothing is reported after an abort',
    async act(stage) {
      const dispatcher = await stage.ready();
      const controller = stage.controller();
      const heard: unknown[] = [];
      const call = dispatcher.run(
        'report',
        { times: 1000 },
        {
          signal: controller.signal,
          onProgress(data) {
            heard.push(data);
            if (data === 3) controller.abort();
          },
        },
      );
      await rejected(call);
      await dispatcher.run('echo', 1);
      assert.deepEqual(heard, [1, 2, 3]);
    },
  },
  {
    name: 'a report that cannot be cloned rejects its call with ERR_NOT_CLONEABLE, and no other',
    unless: needsCopies,
    async act(stage) {
      const dispatcher = await stage.ready();
      const onProgress = (): void => {};
      const [, answer] = await Promise.all([
        rejectedWith(
          'ERR_NOT_CLONEABLE',
          dispatcher.run('reportFunction', undefined, { onProgress }),
        ),
        dispatcher.run('echo', 1),
      ]);
      assert.equal(answer, 1);
      assert.equal(dispatcher.stats().lost, 0);
    },
  },
];
