// A host that asks a fleet: calls at a constant rate, and reports how each ended. `serving-host.ts '<ServingHostGiven>'`. Ends with its input.
import { subscribe } from 'node:diagnostics_channel';
import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { createNatsDispatcher, type NatsHostEvent } from '@ticketing/dispatch-nats';
import { withFallback } from '@ticketing/dispatch-wrappers';
import { askLoads } from './ask-loads.ts';
import {
  type Call,
  epoch,
  readMessages,
  type ServingHostGiven,
  type ToServingHost,
  tell,
} from './messages.ts';

type Work = (input: { id: string; deadline: number }) => Promise<{ host: string }>;
const given = JSON.parse(process.argv[2] ?? '') as ServingHostGiven;

subscribe('ticketing:dispatch-nats:host', (message) => {
  const event = message as NatsHostEvent;
  if (event.host === undefined || event.type === 'late') return;
  const sign = event.type === 'lost' ? { sign: event.sign } : {};
  tell({ kind: 'event', at: epoch(), type: event.type, host: event.host, ...sign });
});

const fleet = createNatsDispatcher<{ work: Work; extra: Work }>({
  nats: { servers: [...given.servers] },
  fleet: given.fleet,
  name: given.name,
  tasks: given.needsExtra ? ['work', 'extra'] : ['work'],
  hosts: { max: given.sessions },
  beatMs: given.beatMs,
  missedBeats: given.missedBeats,
  // A fallback is for calls that would otherwise wait for hosts.
  ...(given.hasFallback && { startTimeoutMs: 300, restart: { maxFailures: 0 } }),
});
await fleet.ready();
const here = async () => {
  await new Promise((resolve) => setTimeout(resolve, given.taskMs));
  return { host: 'here' };
};
const local = defineTasks<{ work: Work; extra: Work }>({ work: here, extra: here });
const dispatcher = given.hasFallback
  ? withFallback(fleet, createInProcessDispatcher(local), { maxInFlight: 1000 })
  : fleet;
const ask = given.loads === undefined ? askWork : await askLoads(given, { fleet });

interface Asked {
  readonly id: string;
  readonly number: number;
  readonly mayTwice: boolean;
}

async function askWork({ id, number, mayTwice }: Asked): Promise<Partial<Call>> {
  const task = given.needsExtra && number % 2 === 0 ? 'extra' : 'work';
  return await dispatcher.run(
    task,
    { id, deadline: epoch() + given.timeoutMs },
    { timeoutMs: given.timeoutMs, ...(mayTwice && { idempotent: true, retries: 1 }) },
  );
}

let settled: Call[] = [];
let asked = 0;
let open = 0;

async function call(number: number, at: number): Promise<void> {
  const id = `${given.name}-${number}`;
  // Every second one, every fourth one …, whichever share it is.
  const { idempotentShare: share } = given;
  const mayTwice = Math.floor((number + 1) * share) > Math.floor(number * share);
  asked += 1;
  open += 1;
  const base = { id, server: given.name, mayTwice, at, host: '', code: '' };
  try {
    const answer = await ask({ id, number, mayTwice });
    settled.push({ ...base, ...answer, ms: epoch() - at });
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    settled.push({ ...base, code: code ?? name, ms: epoch() - at });
  }
  open -= 1;
}

function flush(): void {
  if (settled.length > 0) tell({ kind: 'calls', calls: settled });
  settled = [];
}

async function load({ at, seconds }: { at: number; seconds: number }): Promise<void> {
  const pauseMs = 1000 / given.callsPerSecond;
  const total = Math.round(given.callsPerSecond * seconds);
  let number = 0;
  let second = 1;
  while (number < total || open > 0) {
    const now = epoch();
    for (; number < total && at + number * pauseMs <= now; number += 1) {
      void call(number, at + number * pauseMs);
    }
    if (now >= at + second * 1000) {
      const workers = fleet.stats().workers.filter(({ state }) => state === 'ready');
      tell({ kind: 'second', asked, hosts: workers.length });
      asked = 0;
      second += 1;
    }
    flush();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  flush();
  const { retried, returned, workers } = fleet.stats();
  const windows = workers.map(({ window }) => window);
  const { refused, lost } = fleet.fleet();
  tell({ kind: 'done', report: { retried, returned, windows, refused, lost } });
}

tell({ kind: 'ready' });
await readMessages<ToServingHost>(process.stdin, (message) => {
  if (message.do === 'begin') void load(message);
});
await fleet.close();
process.exit();
