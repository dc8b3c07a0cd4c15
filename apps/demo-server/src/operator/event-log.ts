import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { OperatorEvent } from '../figures/operator-event.ts';

/** The latest events of a process, the newest last. */
export interface EventLog {
  list(): readonly OperatorEvent[];
  close(): void;
}

const MOST = 50;
/** Equal events within this time are one, so that a storm does not push the others out. */
const TOGETHER_MS = 1000;
/** Pools of one worker that is the process itself, or another process that reports on its own. */
const QUIET = new Set(['in-process', 'primary', 'nats', 'keys', 'questions']);

type Kind = OperatorEvent['kind'];
/** A message of a channel, as its package documents it. */
type Message = Readonly<Record<string, unknown>>;

/** What is said of an event, by the channel that publishes it; nothing if it concerns no operator. */
const channels: Readonly<
  Record<
    string,
    readonly [
      kind: Kind | ((message: Message) => Kind),
      say: (message: Message) => string | undefined,
    ]
  >
> = {
  'ticketing:dispatch:worker-ready': [
    'worker-ready',
    (message) => ofWorker(message, () => 'is ready'),
  ],
  'ticketing:dispatch:worker-exit': [
    'worker-exit',
    (message) =>
      ofWorker(message, ({ signal, exitCode }) => `ended (${signal ?? `exit code ${exitCode}`})`),
  ],
  'ticketing:dispatch:circuit-open': [
    'circuit-open',
    ({ name, error }) => `Workers of ${name} fail to start: ${messageOf(error)}`,
  ],
  'ticketing:dispatch:fallback': [
    'fallback',
    ({ name }) => `A task of ${name} runs in the server process: no host takes it`,
  ],
  'ticketing:socket-router:refused': [
    'refused',
    ({ status, reason }) => `A connection was refused with ${status}: ${reason}`,
  ],
  'ticketing:socket-router:rerouted': [
    'rerouted',
    ({ slot, reason }) => `Connections of server-${slot} go to others: ${reason}`,
  ],
  'ticketing:socket-router:worker-stuck': [
    'worker-stuck',
    ({ slot, pid }) => `server-${slot} (${pid}) takes no connections`,
  ],
  'ticketing:dispatch-nats:host': [({ type }) => `host-${type}` as Kind, ofHost],
};

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
}: Message): string {
  const who = host === undefined ? `Dispatcher ${name}` : `Host ${host}`;
  switch (type) {
    case 'joined':
      return `Host ${host} takes tasks`;
    case 'leaving':
      return `Host ${host} leaves`;
    case 'lost':
      return `Host ${host} was lost: ${sign}`;
    case 'refused':
      return `Host ${host} is passed over: ${reason}`;
    case 'closed':
      return `${who} has lost its connection to NATS for good: ${messageOf(error)}`;
    case 'unsent':
      return `${who} could not send ${bytes} bytes to ${subject}: ${messageOf(error)}`;
    default:
      return `Host ${host} was blocked for ${Math.round(Number(blockedMs))} ms`;
  }
}

function messageOf(error: unknown): string {
  return String((error as Error | undefined)?.message ?? error ?? 'it was closed');
}

function ofWorker(message: Message, say: (message: Message) => string): string | undefined {
  const { name, pid } = message;
  if (QUIET.has(String(name))) return undefined;
  const who =
    name === 'serving' ? 'Server process' : name === 'hosts' ? 'Host process' : `Worker of ${name}`;
  return `${who} ${pid} ${say(message)}`;
}

/** Keeps what the libraries publish in this process from now on. `now`: epoch ms. */
export function keepEvents(now: () => number): EventLog {
  const events: (OperatorEvent & { times: number; plain: string })[] = [];
  const ends = Object.entries(channels).map(([name, [kindOf, say]]) => {
    const note = (message: unknown): void => {
      const plain = say(message as Message);
      if (plain === undefined) return;
      const kind = typeof kindOf === 'string' ? kindOf : kindOf(message as Message);
      const at = Math.round(now());
      const last = events.at(-1);
      if (last?.kind === kind && last.plain === plain && at - last.at < TOGETHER_MS) {
        last.times += 1;
        last.text = `${plain} (${last.times} times)`;
        return;
      }
      events.push({ at, kind, process: '', text: plain, plain, times: 1 });
      if (events.length > MOST) events.shift();
    };
    subscribe(name, note);
    return () => unsubscribe(name, note);
  });
  return {
    list: () => events.map(({ at, kind, process, text }) => ({ at, kind, process, text })),
    close() {
      for (const end of ends) end();
    },
  };
}

/** Returns the latest events of several processes as one list, each with the id of its process. */
export function mergeEvents(
  all: readonly { readonly id: string; readonly events: readonly OperatorEvent[] }[],
): OperatorEvent[] {
  return all
    .flatMap(({ id, events }) => events.map((event) => ({ ...event, process: id })))
    .sort((one, other) => one.at - other.at)
    .slice(-MOST);
}
