import { randomBytes } from 'node:crypto';
import {
  type Capabilities,
  createInProcessDispatcher,
  type Dispatcher,
  defineTasks,
  type PoolOptions,
  systemClock,
} from '@ticketing/dispatch';
import {
  type ConformanceTasks,
  conformanceCases,
  type FleetSubject,
  splitCases,
} from '@ticketing/dispatch-conformance';
import { engineUrl, scaled } from '@ticketing/test-kit';
import { test } from 'vitest';
import { createDispatcherOver } from '../src/dispatcher/create-nats-dispatcher.ts';
import { startHost } from '../src/host/serve-nats-tasks.ts';

const url = engineUrl('nats');

/** Hosts are in this process; each has one session, so there are as many as workers. They run the modules of the cases. */
function create(module: URL, options: PoolOptions): Promise<Dispatcher<ConformanceTasks>> {
  return createWithHosts(module, options, options.max ?? 1);
}

async function createWithHosts(
  module: URL,
  options: PoolOptions,
  count: number,
): Promise<Dispatcher<ConformanceTasks>> {
  const nats = { servers: url ?? '' };
  const fleet = randomBytes(8).toString('hex');
  const unused = createInProcessDispatcher(defineTasks({ unused: () => {} }));
  const hosts = Array.from({ length: count }, () =>
    startHost({ nats, fleet, dispatcher: unused, tasks: ['unused'] }, true),
  );
  await Promise.all(hosts.map((host) => host.ready()));
  const closeHosts = async () => {
    await Promise.all(hosts.map((host) => host.close()));
    await unused.close();
  };
  try {
    const dispatcher = createDispatcherOver<ConformanceTasks>(
      { ...options, nats, fleet },
      // Cases move their clock by a minute at once; the network takes its time.
      { module, clock: systemClock },
    );
    const close = dispatcher.close.bind(dispatcher);
    let closed: Promise<void> | undefined;
    return Object.assign(dispatcher, {
      close(how?: Parameters<typeof close>[0]) {
        return close(how).then(() => {
          closed ??= closeHosts();
          return closed;
        });
      },
    });
  } catch (error) {
    await closeHosts();
    throw error;
  }
}

function casesFor(isolation: Capabilities['isolation']) {
  const capabilities = { isolation, hardKill: false, transfer: false, streams: true };
  const fleet: FleetSubject = {
    createWithoutHost: (module, options) => createWithHosts(module, options, 0),
  };
  return conformanceCases({ kind: 'nats', capabilities, givesWorkerData: false, create, fleet });
}

// In these cases a task ends or stops its host, which here is the process of the test. They run over hosts that are processes of
// their own.
const fatal = new Set(['the task would stop or end the caller too', 'workers are not processes']);
const together = casesFor('none');

const cases = casesFor('process').map(({ name, skip, run }, index) => {
  const inOneProcess = together[index]?.skip;
  const reason = /different pids|a task knows its call|the slot of its worker/.test(name)
    ? 'a pid or a slot of another machine is none here'
    : (skip ?? (fatal.has(inOneProcess ?? '') ? inOneProcess : undefined));
  return { name, skip: reason, run };
});

/** Cases of `npm test`: messages of a session, its beginning and its end. */
const { chosen } = splitCases(cases, [
  'start: ready() resolves',
  'start: a call that may run elsewhere',
  'fleet: without a host a call that may run elsewhere',
  'queue: with maxQueue 0',
  'abort: abort while running',
  'timeouts: runTimeoutMs rejects',
  'timeouts: a task knows the deadline',
  'values: values of each kind arrive as they are, all at once',
  'values: rawJson arrives',
  'copies: a result',
  'transfer:',
  'context: a task',
  'map: each outcome',
  'streams: items come in their order',
  'streams: a consumer that leaves the loop',
  'errors: name',
  'progress: onProgress gets',
  'context: subscribers',
  'drain: drain() waits',
  'reload: no call fails',
  'close: close() rejects',
]);

if (url === undefined) {
  test.skip('conformance (skipped: there is no NATS)', () => {});
} else {
  for (const { name, skip, run } of scaled({ fast: chosen, full: cases })) {
    const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
    test(title, { skip: skip !== undefined }, run);
  }
}
