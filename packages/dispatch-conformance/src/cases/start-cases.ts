import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import type { Dispatcher } from '@ticketing/dispatch';
import { type ManualClock, turns, until } from '@ticketing/test-kit';
import { type CaseDraft, needsIsolation } from '../conformance-case.ts';
import { badModules } from '../conformance-modules.ts';
import type { ConformanceTasks } from '../conformance-task-map.ts';
import { coded, messages, rejectedWith } from '../rejected.ts';

const impatient = { backoffMs: [1, 5], intensity: 2, periodMs: 60_000 } as const;

/** Workers that do not start. */
export const startCases: readonly CaseDraft[] = [
  {
    name: 'a module that throws is tried as often as intensity allows, then ERR_CIRCUIT_OPEN tells why',
    unless: needsIsolation,
    async act(stage) {
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
      assert.equal(dispatcher.stats().spawned, impatient.intensity + 1);
    },
  },
  {
    name: 'a module that never starts is given up after startTimeoutMs, as often',
    async act(stage) {
      const dispatcher = await stage.dispatcher(
        { restart: { ...impatient, backoffMs: [1, 60_000], intensity: 1 }, startTimeoutMs: 150 },
        badModules.hangsAtStart,
      );
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
      coded('ERR_START_TIMEOUT', error.cause);
      assert.equal(dispatcher.stats().spawned, 2);
    },
  },
  {
    name: 'a worker that ends as it starts opens the circuit, and its end is the cause',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.dispatcher(
        { restart: { ...impatient, backoffMs: [1, 60_000], intensity: 0 } },
        badModules.exitsAtStart,
      );
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
      assert.equal(coded('ERR_WORKER_LOST', error.cause).data.exitCode, 3);
      assert.equal(dispatcher.stats().spawned, 1);
    },
  },
  {
    name: 'a module without tasks is tried once: ERR_BAD_MODULE is the cause',
    unless: needsIsolation,
    async act(stage) {
      const dispatcher = await stage.dispatcher({}, badModules.noDefaultExport);
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
      coded('ERR_BAD_MODULE', error.cause);
      assert.equal(dispatcher.stats().spawned, 1);
    },
  },
  {
    name: 'a module that was compiled to CommonJS has its tasks in exports.default',
    unless: needsIsolation,
    async act(stage) {
      const text = [
        "Object.defineProperty(exports, '__esModule', { value: true });",
        'exports.default = { tasks: { echo: (input) => input }, hooks: {} };',
      ];
      const module = pathToFileURL(stage.scratch.write('compiled.cjs', text.join('\n')));
      const dispatcher = await stage.ready({}, module);
      assert.equal(await dispatcher.run('echo', 'compiled'), 'compiled');
    },
  },
  {
    name: 'a file that is not there is tried once',
    unless: needsIsolation,
    async act(stage) {
      const missing = new URL(`file://${stage.scratch.path('missing.js')}`);
      const dispatcher = await stage.dispatcher({}, missing);
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.ready());
      assert.ok(error.cause !== undefined, 'a cause');
      assert.equal(dispatcher.stats().spawned, 1);
    },
  },
  {
    name: 'a start that fails twice is borne: calls that wait are answered by the third',
    async act(stage) {
      const module = stage.plannedModule({ log: stage.scratch.path('log'), failures: 2 });
      const dispatcher = await stage.dispatcher({ restart: impatient }, module);
      assert.equal(await dispatcher.run('echo', 'patient'), 'patient');
      await dispatcher.ready();
      assert.equal(dispatcher.stats().spawned, 3);
      assert.equal(dispatcher.stats().circuit, 'closed');
    },
  },
  {
    name: 'an open circuit sends one probe after the longest back-off, and closes if it starts',
    async act(stage) {
      const { scratch, clock } = stage;
      const module = stage.plannedModule({ log: scratch.path('log'), gate: scratch.path('gate') });
      const restart = { backoffMs: [1, 5000], intensity: 0, periodMs: 60_000 } as const;
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
    },
  },
  {
    name: 'workers that end at their first task open the circuit too',
    unless: needsIsolation,
    async act(stage) {
      const restart = { ...impatient, backoffMs: [1, 60_000] } as const;
      const dispatcher = await stage.dispatcher({ restart, clock: stage.clock });
      for (let loss = 0; loss <= impatient.intensity; loss += 1) {
        const lost = rejectedWith('ERR_WORKER_LOST', dispatcher.run('exit', { code: 1 }));
        await until(() => dispatcher.stats().spawned > loss || advance(stage.clock), 'a worker');
        await lost;
      }
      const error = await rejectedWith('ERR_CIRCUIT_OPEN', dispatcher.run('echo', 1));
      coded('ERR_WORKER_LOST', error.cause);
      assert.equal(dispatcher.stats().spawned, impatient.intensity + 1);
    },
  },
  {
    name: 'ready() resolves when min workers take tasks',
    async act(stage) {
      const dispatcher = await stage.dispatcher({ min: 2, max: 3 });
      await dispatcher.ready();
      assert.equal(dispatcher.state, 'ready');
      const { workers, spawned } = dispatcher.stats();
      assert.deepEqual(
        workers.map(({ state }) => state),
        ['ready', 'ready'],
      );
      assert.equal(spawned, 2);
    },
  },
  {
    name: 'workers above min start when every worker is full, to max and no further',
    async act(stage) {
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
    },
  },
  {
    name: 'calls made before a worker is ready are answered in their order',
    async act(stage) {
      const dispatcher = await stage.dispatcher({ window: 1 });
      const log = stage.scratch.path('log');
      const marks = ['1', '2', '3', '4'];
      await Promise.all(marks.map((mark) => dispatcher.run('mark', { log, mark })));
      assert.deepEqual(stage.scratch.lines('log'), marks);
    },
  },
  {
    name: 'setup runs once before a worker takes tasks, teardown once as it stops',
    async act(stage) {
      const module = stage.plannedModule({ log: stage.scratch.path('log') });
      const dispatcher = await stage.ready({}, module);
      const { workerId } = await dispatcher.run('tell', undefined);
      assert.deepEqual(stage.scratch.lines('log'), [`setup ${workerId}`]);
      await dispatcher.close();
      assert.deepEqual(stage.scratch.lines('log'), [`setup ${workerId}`, 'teardown']);
    },
  },
];

/** Moves the clock over one back-off after another. */
async function opened(dispatcher: Dispatcher<ConformanceTasks>, clock: ManualClock): Promise<void> {
  await until(() => {
    if (dispatcher.stats().circuit === 'open') return true;
    return dispatcher.stats().workers.length === 0 && advance(clock);
  }, 'an open circuit');
}

/** More than a few back-offs, less than the time to start, to look after health, or to probe. */
function advance(clock: ManualClock): false {
  clock.advance(10);
  return false;
}
