import { readFile } from 'node:fs/promises';
import { documentedFields, type FieldsOf, fieldNames, recordFields } from '@ticketing/test-kit';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import {
  createSocketRouter,
  forkWorkers,
  type HandedOver,
  type RouterEvents,
  type SocketRouterMessages,
} from '../../src/index.ts';
import { countGone } from '../../src/intake/count-gone.ts';
import { WorkerQueue } from '../../src/placing/worker-queue.ts';
import { ask, exchange } from '../clients.ts';
import { nextEvent, openRouter } from '../router-fixture.ts';
import { SimulatedChannel } from '../simulated-channel.ts';
import { execArgv } from '../worker-processes.ts';

const PREFIX = 'ticketing:socket-router:';
const worker = { slot: true, pid: true } as const;

const fields: FieldsOf<SocketRouterMessages> = {
  'ticketing:socket-router:refused': { status: true, reason: true },
  'ticketing:socket-router:rerouted': { slot: true, reason: true, connections: true },
  'ticketing:socket-router:worker-stuck': worker,
  'ticketing:socket-router:worker-replaced': worker,
  'ticketing:socket-router:worker-down': worker,
  'ticketing:socket-router:worker-ready': worker,
  'ticketing:socket-router:circuit-open': { slots: true, error: true },
  'ticketing:socket-router:handed-over': { slot: true, kind: true, ms: true },
  'ticketing:socket-router:gone': { kind: true },
  'ticketing:socket-router:inspector-open': { ...worker, url: true },
};

test('the reference has the fields of each message, and no others', async () => {
  const path = new URL('../../../../docs/reference/socket-router.md', import.meta.url);
  const page = await readFile(path, 'utf8');
  const section = (title: string): string => {
    const [, text = ''] = page.split(`\n## ${title}\n`);
    return text.split('\n## ')[0] ?? '';
  };
  const events = Object.entries(documentedFields(section('Events'), /./));
  expect({
    ...Object.fromEntries(events.map(([event, names]) => [`${PREFIX}${event}`, names])),
    ...documentedFields(section('Diagnostics')),
  }).toEqual(fieldNames(fields));
});

test('messages that are published have the fields of their types, and no others', async () => {
  const recorded = recordFields(Object.keys(fields));
  await replaceWorker();
  await failToStart();
  openInspector();
  countGone({ count: () => {} }, 'connection');
  recorded.end();
  expect(recorded.names()).toEqual(fieldNames(fields));
});

/** Refuses a connection, and loses a worker that another one replaces. */
async function replaceWorker(): Promise<void> {
  const { router, port, pids } = await openRouter({
    own: true,
    count: 1,
    limits: { stuckTimeoutMs: 1 },
  });
  const [pid = Number.NaN] = pids();
  await exchange(port, 'BAD\r\n\r\n');
  process.kill(pid, 'SIGSTOP');
  expect((await ask(port)).status).toBe(200);
  const down = nextEvent(router, 'worker-down');
  process.kill(pid, 'SIGKILL');
  await down;
}

/** Opens the circuit of a router whose workers exit before they serve. */
async function failToStart(): Promise<void> {
  const module = new URL('../workers/failing-worker.mjs', import.meta.url);
  const router = createSocketRouter({
    workers: forkWorkers(module, {
      workers: 1,
      execArgv,
      restart: { maxFailures: 0 },
      env: { ...process.env, FAILS: 'exit' },
    }),
  });
  onTestFinished(() => router.close({ graceMs: 500 }));
  await expect(router.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
}

/** Has a worker report that its inspector listens. */
function openInspector(): void {
  const channel = new SimulatedChannel();
  const queue = new WorkerQueue(channel.asWorker(), {
    router: 'router',
    claimTimeoutMs: 1000,
    maxWaitMs: 60_000,
    stuckTimeoutMs: 5000,
    emit: () => {},
  });
  channel.say({ kind: 'inspector', url: 'ws://127.0.0.1:9229/id' });
  queue.release();
}

test('a subscriber types its messages by the map of channels', () => {
  expectTypeOf<
    SocketRouterMessages['ticketing:socket-router:handed-over']
  >().toEqualTypeOf<HandedOver>();
  expectTypeOf<HandedOver['kind']>().toEqualTypeOf<'connection' | 'request'>();
});

test('each event has a channel, with the messages of the event', () => {
  type OfEvents = {
    [Event in keyof RouterEvents]: SocketRouterMessages[`ticketing:socket-router:${Event}`];
  };
  expectTypeOf<RouterEvents>().toEqualTypeOf<OfEvents>();
});
