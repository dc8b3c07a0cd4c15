import assert from 'node:assert/strict';
import { type CaseDraft, needsIsolation } from '../conformance-case.ts';
import { rejected, rejectedWith } from '../rejected.ts';

/** Tasks that may run twice, and those that may not. */
export const retryCases: readonly CaseDraft[] = [
  {
    name: 'without idempotent a started task never runs twice',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.ready();
      const log = stage.scratch.path('log');
      await rejectedWith(
        'ERR_WORKER_LOST',
        dispatcher.run('exit', { code: 1, log, firstOnly: true }),
      );
      await dispatcher.run('echo', 1);
      assert.deepEqual(stage.scratch.lines('log'), ['exit 1']);
      assert.equal(dispatcher.stats().retried, 0);
    },
  },
  {
    name: 'idempotent alone is no retry',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.ready();
      const log = stage.scratch.path('log');
      await rejectedWith(
        'ERR_WORKER_LOST',
        dispatcher.run('exit', { code: 1, log, firstOnly: true }, { idempotent: true }),
      );
      await dispatcher.run('echo', 1);
      assert.deepEqual(stage.scratch.lines('log'), ['exit 1']);
    },
  },
  {
    name: 'idempotent with retries runs anew after a loss, as attempt 2 of the same call',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.ready();
      const log = stage.scratch.path('log');
      const options = { idempotent: true, retries: 1 };
      const call = dispatcher.run('exit', { code: 1, log, firstOnly: true }, options);
      assert.equal(await call, 2);
      assert.deepEqual(stage.scratch.lines('log'), ['exit 1', 'exit 2']);
      const { retried, completed, rejected: lost } = dispatcher.stats();
      assert.deepEqual({ retried, completed, lost }, { retried: 1, completed: 1, lost: 0 });
    },
  },
  {
    name: 'retries are counted, and then the loss is told',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.ready({ restart: { backoffMs: [1, 5] } });
      const log = stage.scratch.path('log');
      await rejectedWith(
        'ERR_WORKER_LOST',
        dispatcher.run('exit', { code: 1, log }, { idempotent: true, retries: 2 }),
      );
      assert.deepEqual(stage.scratch.lines('log'), ['exit 1', 'exit 2', 'exit 3']);
      assert.equal(dispatcher.stats().retried, 2);
    },
  },
  {
    name: 'what a task throws is no loss, and is not retried',
    async act(stage) {
      const dispatcher = await stage.ready();
      const options = { idempotent: true, retries: 5 };
      const error = await rejected(dispatcher.run('fail', 'coded', options));
      assert.equal((error as { code?: unknown }).code, 'ENOENT');
      assert.equal(dispatcher.stats().retried, 0);
    },
  },
  {
    name: 'retries without idempotent are refused',
    async act(stage) {
      const dispatcher = await stage.ready();
      const error = await rejected(dispatcher.run('echo', 1, { retries: 1 }));
      assert.ok(error instanceof TypeError, `a TypeError, got ${error}`);
    },
  },
];
