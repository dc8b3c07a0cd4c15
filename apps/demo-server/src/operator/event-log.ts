import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { EventKind } from '../figures/operator-event.ts';
import type { ReportedEvent } from '../figures/process-status.ts';

/** The latest events of a process, the newest last. */
export interface EventLog {
  list(): readonly ReportedEvent[];
  close(): void;
}

const MOST = 50;
/** Equal events that follow each other within this time are one, so that a storm does not push the others out. */
const TOGETHER_MS = 10_000;
/** Pools of one worker that is the process itself, or another process that reports on its own. */
const QUIET = new Set(['in-process', 'primary', 'nats', 'keys', 'questions']);

/** A message of a channel, as its package documents it. */
type Message = Readonly<Record<string, unknown>>;
type Words = Pick<ReportedEvent, 'kind' | 'severity' | 'text' | 'detail' | 'pid'>;

/** Words for an event, by the channel that publishes it; none if it concerns no operator. */
const channels: Readonly<Record<string, (message: Message) => Words | undefined>> = {
  'ticketing:dispatch:worker-ready': ({ name, pid }) =>
    QUIET.has(String(name)) ? undefined : of(pid, { ...note('worker-ready', 'is ready') }),
  'ticketing:dispatch:worker-exit': ({ name, pid, signal, exitCode }) =>
    // A worker that was asked to end exits with 0.
    QUIET.has(String(name)) || exitCode === 0
      ? undefined
      : of(pid, bad('worker-exit', 'ended', String(signal ?? `exit code ${exitCode}`))),
  'ticketing:dispatch:circuit-open': ({ name, error }) =>
    bad(
      'circuit-open',
      `${name === 'serving' ? 'Server processes' : 'Task workers'} fail to start`,
      messageOf(error),
    ),
  'ticketing:dispatch:fallback': () =>
    note('fallback', 'Tasks run in the server process', 'no host takes them'),
  'ticketing:dispatch-cluster:connection-dropped': ({ reason }) =>
    bad(
      'dropped',
      'Primary dropped a connection',
      reason === 'full' ? 'too many are waiting' : 'it waited too long',
    ),
  'ticketing:socket-router:refused': ({ status, reason }) =>
    bad('refused', 'Router refused a connection', `HTTP ${status}, ${reason}`),
  'ticketing:socket-router:rerouted': ({ slot, reason }) =>
    note('rerouted', `Connections of server-${slot} go to others`, String(reason)),
  'ticketing:socket-router:worker-stuck': ({ pid }) =>
    of(pid, bad('worker-stuck', 'accepts no connections')),
  'ticketing:batching:coordinator': ({ state, error }) =>
    state === 'down'
      ? bad('redis-down', 'Redis does not answer', messageOf(error))
      : note('redis-up', 'Redis answers again'),
  'ticketing:dispatch-nats:host': (message) => {
    const kind = `host-${message['type']}` as EventKind;
    return (GOOD_HOST.has(kind) ? note : bad)(kind, ...ofHost(message));
  },
};

const GOOD_HOST: ReadonlySet<EventKind> = new Set(['host-joined', 'host-leaving', 'host-late']);

function bad(kind: EventKind, text: string, detail?: string): Words {
  return { kind, severity: 'bad', text, ...(detail !== undefined && { detail }) };
}

function note(kind: EventKind, text: string, detail?: string): Words {
  return { ...bad(kind, text, detail), severity: 'note' };
}

function of(pid: unknown, words: Words): Words {
  return { ...words, pid: Number(pid) };
}

function ofHost({
  type,
  name,
  host,
  reason,
  sign,
  blockedMs,
  subject,
  bytes,
  error,
}: Message): readonly [text: string, detail?: string] {
  const who = host === undefined ? `Dispatcher ${name}` : `Host ${host}`;
  switch (type) {
    case 'joined':
      return [`Host ${host} takes tasks`];
    case 'leaving':
      return [`Host ${host} leaves`];
    case 'lost':
      return [`Host ${host} is lost`, String(sign)];
    case 'refused':
      return [`Host ${host} is not used`, String(reason)];
    case 'closed':
      return [`${who} has no connection to NATS`, messageOf(error)];
    case 'unsent':
      return [`${who} could not send ${bytes} bytes`, `to ${subject}: ${messageOf(error)}`];
    default:
      return [`Host ${host} was blocked`, `for ${Math.round(Number(blockedMs))} ms`];
  }
}

function messageOf(error: unknown): string {
  return String((error as Error | undefined)?.message ?? error ?? 'it was closed');
}

/** Keeps what the libraries publish in this process from now on. `now`: epoch ms. */
export function keepEvents(now: () => number): EventLog {
  let events: Noted[] = [];
  let last = 0;
  const ends = Object.entries(channels).map(([name, wordsOf]) => {
    const take = (message: unknown): void => {
      const words = wordsOf(message as Message);
      if (words === undefined) return;
      const at = Math.round(now());
      const equal = events.find(
        ({ event, lastAt }) =>
          event.kind === words.kind &&
          event.text === words.text &&
          event.pid === words.pid &&
          at - lastAt < TOGETHER_MS,
      );
      if (equal !== undefined) {
        equal.times += 1;
        equal.lastAt = at;
        return;
      }
      last += 1;
      events = [...events, { event: { ...words, no: last, at }, times: 1, lastAt: at }];
      events = events.slice(-MOST);
    };
    subscribe(name, take);
    return () => unsubscribe(name, take);
  });
  return {
    list: () =>
      events.map(({ event, times }) =>
        times === 1 ? event : { ...event, text: `${event.text} (${times} times)` },
      ),
    close() {
      for (const end of ends) end();
    },
  };
}

interface Noted {
  readonly event: ReportedEvent;
  times: number;
  lastAt: number;
}
