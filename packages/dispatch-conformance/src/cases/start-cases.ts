import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Dispatcher } from '@ticketing/dispatch';
import { type ManualClock, turns, until } from '@ticketing/test-kit';
import { coded, messages, rejectedWith } from '../calls.ts';
import { type CaseDraft, needsIsolation, needsProcess, test } from '../conformance-case.ts';
import { badModules, conformanceModule } from '../conformance-modules.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';
import type { Stage } from '../stage.ts';

const impatient = { backoffMs: [1, 5], maxFailures: 2, withinMs: 60_000 } as const;

/** Workers that do not start. */
export const startCases: readonly CaseDraft[] = [
  test(
    'a module that throws is tried as often as maxFailures allows, then ERR_CIRCUIT_OPEN has the cause',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.dispatcher(
        { restart: { ...impatient, backoffMs: [1, 60_000] }, clock: stage.clock },
        badModules.throwsAtStart,
      );
      const ready = rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
      const queued = rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
      await opened(dispatcher, stage.clock);
      for (const error of [await ready, await queued]) {
        assert.ok(messages(error).includes('thrown at start'), messages(error).join('; '));
      }
      const now = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
      assert.ok(messages(now).includes('thrown at start'));
      assert.equal(dispatcher.state, 'degraded');
      assert.equal(dispatcher.stats().spawned, impatient.maxFailures + 1);
    },
  ),
  test('a module that never starts is tried once, or as often where its worker cannot be killed, each time for startTimeoutMs', async (stage) => {
    const dispatcher = await stage.dispatcher(
      { restart: { ...impatient, backoffMs: [1, 60_000], maxFailures: 1 }, startTimeoutMs: 150 },
      badModules.hangsAtStart,
    );
    const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
    coded('ERR_START_TIMEOUT', error.cause);
    assert.equal(dispatcher.stats().spawned, dispatcher.capabilities.hardKill ? 1 : 2);
  }),
  test(
    'a worker that ends as it starts opens the circuit, and its end is the cause',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.dispatcher(
        { restart: { ...impatient, backoffMs: [1, 60_000], maxFailures: 0 } },
        badModules.exitsAtStart,
      );
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
      assert.equal(coded('ERR_WORKER_LOST', error.cause).data.exitCode, 3);
      assert.equal(dispatcher.stats().spawned, 1);
    },
  ),
  test(
    'a module without tasks is tried once: ERR_BAD_MODULE is the cause',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.dispatcher({}, badModules.noDefaultExport);
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
      coded('ERR_BAD_MODULE', error.cause);
      assert.equal(dispatcher.stats().spawned, 1);
    },
  ),
  test(
    'a call that may run elsewhere is told so once, before it rejects because no worker starts',
    needsIsolation,
    async (stage) => {
      const dispatcher = await stage.dispatcher({}, badModules.noDefaultExport);
      const told: unknown[] = [];
      const onNoWorker = (error: unknown): void => void told.push(error);
      const waits = dispatcher.run('echo', 1, { onNoWorker });
      const first = await rejectedWith('ERR_CIRCUIT_OPEN', waits);
      const later = dispatcher.run('echo', 2, { onNoWorker });
      const second = await rejectedWith('ERR_CIRCUIT_OPEN', later);
      for (const error of [first, second]) coded('ERR_BAD_MODULE', error.cause);
      assert.equal(told.length, 2);
      assert.ok(told[0] === first && told[1] === second, 'the errors of the calls');
    },
  ),
  test(
    'a module that was compiled to CommonJS has its tasks in exports.default',
    needsIsolation,
    async (stage) => {
      const text = [
        "Object.defineProperty(exports, '__esModule', { value: true });",
        'exports.default = { tasks: { echo: (input) => input }, hooks: {} };',
      ];
      const module = pathToFileURL(stage.scratch.write('compiled.cjs', text.join('\n')));
      const dispatcher = await stage.ready({}, module);
      assert.equal(await dispatcher.run('echo', 'compiled'), 'compiled');
    },
  ),
  test('a missing file is tried once', needsIsolation, async (stage) => {
    const missing = new URL(`file://${stage.scratch.path('missing.js')}`);
    const dispatcher = await stage.dispatcher({}, missing);
    const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
    assert.ok(error.cause !== undefined, 'a cause');
    assert.equal(dispatcher.stats().spawned, 1);
  }),
  test('after two failed starts the third worker answers the waiting calls', async (stage) => {
    const module = stage.plannedModule({ log: stage.scratch.path('log'), failures: 2 });
    const dispatcher = await stage.dispatcher({ restart: impatient }, module);
    assert.equal(await dispatcher.run('echo', 'patient'), 'patient');
    await dispatcher.ready();
    assert.equal(dispatcher.stats().spawned, 3);
    assert.equal(dispatcher.stats().circuit, 'closed');
  }),
  test('an open circuit sends one probe after the longest back-off, and closes if it starts', async (stage) => {
    const { scratch, clock } = stage;
    const module = stage.plannedModule({ log: scratch.path('log'), gate: scratch.path('gate') });
    const restart = { backoffMs: [1, 5000], maxFailures: 0, withinMs: 60_000 } as const;
    const dispatcher = await stage.dispatcher({ max: 2, restart, clock }, module);
    await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
    await until(() => dispatcher.stats().workers.length === 0, 'no worker');
    const { spawned } = dispatcher.stats();
    for (let time = 0; time < 20; time += 1) {
      await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', time));
    }
    clock.advance(4000);
    assert.equal(dispatcher.stats().spawned, spawned, 'workers before the probe is due');
    clock.advance(1000);
    assert.equal(dispatcher.stats().spawned, spawned + 1, 'workers when the probe is due');
    assert.equal(dispatcher.stats().circuit, 'half-open');
    await until(() => dispatcher.stats().circuit === 'open', 'an open circuit');
    scratch.touch('gate');
    clock.advance(5000);
    assert.equal(dispatcher.stats().spawned, spawned + 2, 'workers at the second probe');
    await dispatcher.ready();
    assert.equal(await dispatcher.run('echo', 'back'), 'back');
    assert.equal(dispatcher.stats().circuit, 'closed');
    assert.equal(dispatcher.state, 'ready');
  }),
  test(
    'workers that end at their first task open the circuit too',
    needsIsolation,
    async (stage) => {
      const restart = { ...impatient, backoffMs: [1, 60_000] } as const;
      const dispatcher = await stage.dispatcher({ restart, clock: stage.clock });
      for (let loss = 0; loss <= impatient.maxFailures; loss += 1) {
        const lost = rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 1 }));
        await until(() => dispatcher.stats().spawned > loss || advance(stage.clock), 'a worker');
        await lost;
      }
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
      coded('ERR_WORKER_LOST', error.cause);
      assert.equal(dispatcher.stats().spawned, impatient.maxFailures + 1);
    },
  ),
  test('ready() resolves when min workers take tasks', async (stage) => {
    const dispatcher = await stage.dispatcher({ min: 2, max: 3 });
    await dispatcher.ready();
    assert.equal(dispatcher.state, 'ready');
    const { workers, spawned } = dispatcher.stats();
    assert.deepEqual(
      workers.map(({ state }) => state),
      ['ready', 'ready'],
    );
    assert.equal(spawned, 2);
  }),
  test('workers above min start when every worker is full, to max and no further', async (stage) => {
    const { scratch } = stage;
    const dispatcher = await stage.ready({ min: 1, max: 2, window: 1 });
    const holds = ['1', '2', '3'].map((mark) =>
      dispatcher.run('hold', { log: scratch.path('log'), mark, until: scratch.path('go') }),
    );
    await scratch.reached('log', 2);
    await turns();
    assert.equal(dispatcher.stats().spawned, 2);
    assert.equal(dispatcher.stats().queued, 1);
    scratch.touch('go');
    await Promise.all(holds);
  }),
  test('with min 0 there is no worker before the first call, one for it, and none after idleTimeoutMs', async (stage) => {
    const dispatcher = await stage.dispatcher({ min: 0, idleTimeoutMs: 50 });
    await dispatcher.ready();
    assert.equal(dispatcher.state, 'ready');
    assert.deepEqual([dispatcher.stats().spawned, dispatcher.stats().workers], [0, []]);
    for (const count of [1, 2]) {
      assert.equal(await dispatcher.run('echo', count), count);
      assert.equal(dispatcher.stats().spawned, count, 'workers started so far');
      await until(() => dispatcher.stats().workers.length === 0, 'an empty pool');
      const { idled, lost, killed, circuit, state } = dispatcher.stats();
      const rest = { idled: count, lost: 0, killed: 0, circuit: 'closed', state: 'ready' };
      assert.deepEqual({ idled, lost, killed, circuit, state }, rest);
    }
  }),
  test('with min 0 calls with a key, streams and map start the workers that they need', async (stage) => {
    const dispatcher = await stage.dispatcher({ min: 0, idleTimeoutMs: 50 });
    const empty = () => until(() => dispatcher.stats().workers.length === 0, 'an empty pool');
    assert.equal(await dispatcher.run('echo', 'keyed', { key: 'a' }), 'keyed');
    await empty();
    const items: number[] = [];
    for await (const item of dispatcher.stream('items', { count: 3 })) items.push(item);
    assert.deepEqual(items, [1, 2, 3]);
    await empty();
    for await (const { status } of dispatcher.map('echo', [1, 2]))
      assert.equal(status, 'fulfilled');
    await empty();
    assert.equal(dispatcher.stats().spawned, 3);
  }),
  test('calls made before a worker is ready are answered in their order', async (stage) => {
    const dispatcher = await stage.dispatcher({ window: 1 });
    const log = stage.scratch.path('log');
    const marks = ['1', '2', '3', '4'];
    await Promise.all(marks.map((mark) => dispatcher.run('mark', { log, mark })));
    assert.deepEqual(stage.scratch.lines('log'), marks);
  }),
  test('setup runs once before a worker takes tasks, teardown once as it stops', async (stage) => {
    const module = stage.plannedModule({ log: stage.scratch.path('log') });
    const dispatcher = await stage.ready({}, module);
    const { workerId } = await dispatcher.run('tell', undefined);
    assert.deepEqual(stage.scratch.lines('log'), [`setup ${workerId} 0`]);
    await dispatcher.close();
    assert.deepEqual(stage.scratch.lines('log'), [`setup ${workerId} 0`, 'teardown']);
  }),
];

/** Advances the clock over one back-off after another, until the circuit is open. */
async function opened(dispatcher: Dispatcher<ConformanceTasks>, clock: ManualClock): Promise<void> {
  await until(() => {
    if (dispatcher.stats().circuit === 'open') return true;
    return dispatcher.stats().workers.length === 0 && advance(clock);
  }, 'an open circuit');
}

/** Advances over a few back-offs, but not to the start timeout, a health check or a probe. */
function advance(clock: ManualClock): false {
  clock.advance(10);
  return false;
}

/** Hosts and tasks that lack temporary files, memory figures or `process.send`. */
export const hostCases: readonly CaseDraft[] = [
  test('tasks run where the folder for temporary files is missing', needsIsolation, (stage) =>
    // Below a file, so that no process can create the folder.
    withTemporaryFolder(join(process.execPath, 'none'), () => runsTasks(stage)),
  ),
  test('tasks run where no file can be created', needsIsolation, (stage) =>
    withoutNewFiles(() => runsTasks(stage)),
  ),
  test('a worker whose memory cannot be read goes on', needsProcess, async (stage) => {
    const module = moduleAfter(
      stage,
      `process.memoryUsage.rss = () => { throw new Error('EMFILE: too many open files'); };`,
    );
    const dispatcher = await stage.ready({}, module);
    // The worker reads its memory after 20 ms.
    for (let task = 0; task < 3; task += 1) await dispatcher.run('spin', { ms: 25 });
    const { lost, spawned, workers } = dispatcher.stats();
    assert.deepEqual({ lost, spawned }, { lost: 0, spawned: 1 });
    assert.equal(workers[0]?.memoryBytes, undefined);
  }),
  test(
    'a task that replaces process.send by a silent function is answered',
    needsProcess,
    async (stage) => {
      const module = moduleAfter(stage, 'export const silent = (process.send = () => true);');
      const dispatcher = await stage.ready({}, module);
      assert.equal(await dispatcher.run('echo', 1), 1);
    },
  ),
];

async function runsTasks(stage: Stage): Promise<void> {
  const dispatcher = await stage.ready({ max: 2, min: 2 });
  const answers = await Promise.all([1, 2, 3, 4].map((value) => dispatcher.run('echo', value)));
  assert.deepEqual(answers, [1, 2, 3, 4]);
  const { lost, spawned } = dispatcher.stats();
  assert.deepEqual({ lost, spawned }, { lost: 0, spawned: 2 });
}

/** Returns a module of the usual tasks, after a statement that the worker runs first. */
function moduleAfter(stage: Stage, statement: string): URL {
  const first = pathToFileURL(stage.scratch.write('first.mjs', statement));
  const lines = [
    `import ${JSON.stringify(first.href)};`,
    `export { default } from ${JSON.stringify(conformanceModule.href)};`,
  ];
  return pathToFileURL(stage.scratch.write('after.mjs', lines.join('\n')));
}

async function withTemporaryFolder(folder: string, act: () => Promise<void>): Promise<void> {
  const { env } = process as { readonly env: { TMPDIR?: string } };
  const { TMPDIR } = env;
  env.TMPDIR = folder;
  try {
    await act();
  } finally {
    if (TMPDIR === undefined) delete env.TMPDIR;
    else env.TMPDIR = TMPDIR;
  }
}

/** Fails to create files, as with a read-only root without `/dev/shm`. */
async function withoutNewFiles(act: () => Promise<void>): Promise<void> {
  const { openSync } = fs;
  fs.openSync = (path, flags, mode) => {
    if (!String(flags).includes('x')) return openSync(path, flags, mode);
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  };
  syncBuiltinESMExports();
  try {
    await act();
  } finally {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  }
}
