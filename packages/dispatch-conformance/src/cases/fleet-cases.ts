import assert from 'node:assert/strict';
import type { DispatchError } from '@ticketing/dispatch';
import { coded, rejectedWith } from '../calls.ts';
import type { CaseDraft } from '../conformance-case.ts';
import type { Stage } from '../stage.ts';

const PIECES = 64;

/** Workers that other dispatchers use too: they have less room than the window, and may be absent. */
export const fleetCases: readonly CaseDraft[] = [
  {
    name: 'a call above the room of its worker goes to another one, as its first attempt',
    needsFleet: 'createWithCapacity',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await withCapacity(stage, 1, { max: 2, window: 4 });
      const log = scratch.path('log');
      const answers = ['a', 'b', 'c', 'd'].map((mark) =>
        dispatcher.run('hold', { log, mark, until: scratch.path(`go-${mark}`) }),
      );
      await scratch.reached('log', 2);
      assert.deepEqual(new Set(scratch.lines('log')), new Set(['a', 'b']), 'what has begun');
      // A worker without room returns its last call; the kernel may not have read that yet.
      for (const mark of ['b', 'a', 'c', 'd']) scratch.touch(`go-${mark}`);
      assert.deepEqual(await Promise.all(answers), ['a', 'b', 'c', 'd']);
      const { returned, retried, moved, lost } = dispatcher.stats();
      assert.ok(returned >= 1, `calls that came back must be 1 or more, got ${returned}`);
      assert.deepEqual({ retried, moved, lost }, { retried: 0, moved: 0, lost: 0 });
      const { attempt } = await dispatcher.run('tell', undefined);
      assert.equal(attempt, 1);
    },
  },
  {
    name: 'however often calls come back, each runs once and is answered with its own answer',
    needsFleet: 'createWithCapacity',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await withCapacity(stage, 2, { max: 3, window: 16 });
      const log = scratch.path('log');
      const marks = Array.from({ length: 200 }, (_, index) => `${index}`);
      const answers = marks.map((mark) => dispatcher.run('mark', { log, mark }));
      assert.deepEqual(await Promise.all(answers), marks);
      assert.deepEqual(scratch.lines('log').map(Number).sort(ascending), marks.map(Number));
      assert.equal(dispatcher.stats().completed, 200);
    },
  },
  {
    name: 'the only worker gets the calls that it had no room for, once it has',
    needsFleet: 'createWithCapacity',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await withCapacity(stage, 1, { window: 8 });
      const [log, until] = [scratch.path('log'), scratch.path('go')];
      const answers = ['1', '2', '3', '4', '5'].map((mark) =>
        dispatcher.run('hold', { log, mark, until }),
      );
      await scratch.reached('log', 1);
      scratch.touch('go');
      assert.deepEqual(await Promise.all(answers), ['1', '2', '3', '4', '5']);
      assert.deepEqual(scratch.lines('log'), ['1', '2', '3', '4', '5'], 'the order of the starts');
    },
  },
  {
    name: 'an aborted call that comes back never runs',
    needsFleet: 'createWithCapacity',
    async act(stage) {
      const { scratch } = stage;
      const dispatcher = await withCapacity(stage, 1, { window: 8 });
      const [log, until] = [scratch.path('log'), scratch.path('go')];
      const held = dispatcher.run('hold', { log, mark: 'held', until });
      const controller = stage.controller();
      const { signal } = controller;
      const aborted = dispatcher.run('mark', { log, mark: 'never' }, { signal });
      const settled = Promise.allSettled([aborted]);
      await scratch.reached('log', 1);
      controller.abort(new Error('enough'));
      await settled;
      scratch.touch('go');
      assert.equal(await held, 'held');
      assert.equal(await dispatcher.run('echo', 'after'), 'after');
      assert.deepEqual(scratch.lines('log'), ['held']);
      assert.equal(dispatcher.stats().aborted, 1);
    },
  },
  {
    name: 'a call that is too large rejects alone, with ERR_TOO_LARGE',
    needsFleet: 'createWithLimit',
    async act(stage) {
      const { createWithLimit } = stage.subject.fleet ?? {};
      assert.ok(createWithLimit !== undefined);
      const limit = 1024 * PIECES;
      const dispatcher = await stage.dispatcher({}, undefined, (module, options) =>
        createWithLimit(module, options, limit),
      );
      const large = 'x'.repeat(2 * limit);
      const [before, refused, after] = await Promise.allSettled([
        dispatcher.run('echo', 'before'),
        dispatcher.run('echo', large),
        dispatcher.run('echo', 'after'),
      ]);
      assert.deepEqual([before, after].map(answerOf), ['before', 'after']);
      assert.ok(refused.status === 'rejected', 'the large call must reject');
      assert.equal(coded('ERR_TOO_LARGE', refused.reason).data.limit, limit);
      assert.equal(dispatcher.stats().failed, 1);
    },
  },
  {
    name: 'without a host the first failed start opens the circuit, with ERR_NO_HOST as its cause',
    needsFleet: 'createWithoutHost',
    async act(stage) {
      const dispatcher = await withoutHost(stage, { startTimeoutMs: 50 });
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
      const cause: DispatchError = coded('ERR_NO_HOST', error.cause);
      assert.notEqual(cause.message, '');
      const { circuit, spawned } = dispatcher.stats();
      assert.deepEqual({ circuit, spawned }, { circuit: 'open', spawned: 1 });
    },
  },
  {
    name: 'without a host a call that may run elsewhere waits no longer than a start',
    needsFleet: 'createWithoutHost',
    async act(stage) {
      const dispatcher = await withoutHost(stage, { startTimeoutMs: 2000 });
      const told: unknown[] = [];
      const onNoWorker = (error: unknown): void => void told.push(error);
      const error = await rejectedWith(
        'ERR_CIRCUIT_OPEN',
        dispatcher.run('echo', 1, { onNoWorker }),
      );
      coded('ERR_NO_HOST', error.cause);
      assert.deepEqual(told, [error], 'what the caller was told');
      assert.ok(dispatcher.stats().spawned <= 1, 'one start');
    },
  },
];

function withoutHost(
  stage: Stage,
  options: Parameters<Stage['dispatcher']>[0],
): ReturnType<Stage['dispatcher']> {
  const { createWithoutHost } = stage.subject.fleet ?? {};
  assert.ok(createWithoutHost !== undefined);
  const restart = { backoffMs: [1, 60_000] } as const;
  return stage.dispatcher({ restart, ...options }, undefined, createWithoutHost);
}

function withCapacity(
  stage: Stage,
  capacity: number,
  options: Parameters<Stage['dispatcher']>[0],
): ReturnType<Stage['dispatcher']> {
  const { createWithCapacity } = stage.subject.fleet ?? {};
  assert.ok(createWithCapacity !== undefined);
  return stage
    .dispatcher(options, undefined, (module, own) => createWithCapacity(module, own, capacity))
    .then(async (dispatcher) => {
      await dispatcher.ready();
      return dispatcher;
    });
}

function answerOf(outcome: PromiseSettledResult<unknown>): unknown {
  return outcome.status === 'fulfilled' ? outcome.value : outcome.reason;
}

function ascending(one: number, other: number): number {
  return one - other;
}
