import { randomBytes } from 'node:crypto';
import {
  type Capabilities,
  type Dispatcher,
  type PoolOptions,
  systemClock,
} from '@ticketing/dispatch';
import { type ConformanceTasks, conformanceCases } from '@ticketing/dispatch-conformance';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { engineUrl } from '@ticketing/test-kit';
import { test } from 'vitest';
import { createDispatcherOver } from '../../src/dispatcher/create-nats-dispatcher.ts';
import { serveNatsTasks } from '../../src/host/serve-nats-tasks.ts';

const url = engineUrl('nats');
const execArgv = ['--conditions=@ticketing/source'];

/** Each host runs its tasks in a process of its own: what a task does to its process happens there. */
async function create(
  module: URL,
  { max = 1, min: _, clock, ...options }: PoolOptions,
): Promise<Dispatcher<ConformanceTasks>> {
  const nats = { servers: url ?? '' };
  const fleet = randomBytes(8).toString('hex');
  const { default: loaded } = (await import(module.href)) as {
    readonly default: { readonly tasks: ConformanceTasks };
  };
  const pools = Array.from({ length: max }, () =>
    createForkDispatcher<ConformanceTasks>(module, { execArgv, ...options, max: 1, min: 1 }),
  );
  const hosts = pools.map((dispatcher) =>
    serveNatsTasks({ nats, fleet, dispatcher, tasks: namesOf(loaded.tasks) }),
  );
  await Promise.all(hosts.map((host) => host.ready()));
  const dispatcher = createDispatcherOver<ConformanceTasks>(
    // A busy machine may keep a host silent for longer than three beats.
    { ...options, max, ...(clock && { clock }), nats, fleet, missedBeats: 40 },
    { clock: systemClock },
  );
  const close = dispatcher.close.bind(dispatcher);
  let closed: Promise<unknown> | undefined;
  const closeHosts = async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await Promise.all(pools.map((pool) => pool.close()));
  };
  return Object.assign(dispatcher, {
    async close(how?: Parameters<typeof close>[0]) {
      await close(how);
      closed ??= closeHosts();
      await closed;
    },
  });
}

function namesOf(tasks: ConformanceTasks): (keyof ConformanceTasks)[] {
  return Object.keys(tasks) as (keyof ConformanceTasks)[];
}

/** Reasons why a case does not apply to workers behind a host. */
const exceptions: Readonly<Record<string, string>> = {
  'kill: a stopped process': 'the pool of the host counts the loss',
  'kill: a task that was only held up':
    'an abort crosses the network, and may come after the worker is free',
  'abort: abort of a task that was sent and has not started':
    'an abort crosses the network, and may come after the worker is free',
  'kill: a stopped idle worker': 'the pool of the host checks its workers, on a clock of its own',
  'host: tasks run where':
    'workers come as hosts announce themselves: the first may be alone when it is ready',
  'timeouts: a task whose deadline passes':
    'the host knows what is left of the limit, and is first here',
  'timeouts: queueTimeoutMs also ends': 'a call has started when the host has begun it',
  'timeouts: runTimeoutMs does not count while the task was sent':
    'a call has started when the host has begun it',
  'loss: exit(0) rejects': 'the pool of the host counts the loss',
  'loss: exit(1) rejects': 'the pool of the host counts the loss',
  'loss: a throw in a timer': 'the pool of the host counts the loss',
  'loss: an unhandled rejection': 'the pool of the host counts the loss',
  'loss: SIGKILL rejects': 'the pool of the host counts the loss',
  'loss: calls that are made as': 'the pool of the host counts the loss',
  'start: a module that throws': 'the pool of the host loads the module',
  'start: a worker that ends': 'the pool of the host loads the module',
  'start: a module without tasks': 'the pool of the host loads the module',
  'start: a call that may run elsewhere': 'the pool of the host loads the module',
  'start: a missing file': 'the pool of the host loads the module',
  'start: workers that end at their': 'the pool of the host has the circuit',
  'broadcast: a worker that takes the place': 'the pool of the host replaces its workers',
  'recycle: a worker is replaced after recycle.heapBytes': 'the pool of the host has the limits',
  'recycle: a worker whose event loop': 'the pool of the host has the limits',
  'reload: reload() to a module whose': 'the pool of the host loads the module',
  'close: a dispatcher that lost': 'the pool of the host replaces its workers',
  'statistics: lost workers': 'the pool of the host counts the loss',
  'streams: timeoutMs limits the whole stream':
    'the host knows what is left of the limit, and may be first',
  'streams: a task that does not end': 'the pool of the host counts the loss',
};

const inOneProcess = new Set([
  'the task would stop or end the caller too',
  'workers are not processes',
]);

function casesFor(isolation: Capabilities['isolation']) {
  const capabilities = { isolation, hardKill: true, transfer: false, streams: true };
  return conformanceCases({ kind: 'nats', capabilities, givesWorkerData: false, create });
}

// Cases that hosts in the process of the test cannot run, and cases of streams, which pass through two dispatchers.
if (url === undefined) {
  test.skip('conformance over processes (skipped: there is no NATS)', () => {});
} else {
  const together = casesFor('none');
  for (const [index, { name, skip, run }] of casesFor('process').entries()) {
    const isChosen = inOneProcess.has(together[index]?.skip ?? '') || name.startsWith('streams:');
    if (!isChosen) continue;
    const exception = Object.keys(exceptions).find((beginning) => name.startsWith(beginning));
    const reason = skip ?? (exception && exceptions[exception]);
    test(
      reason === undefined ? name : `${name} (skipped: ${reason})`,
      { skip: reason !== undefined },
      run,
    );
  }
}
