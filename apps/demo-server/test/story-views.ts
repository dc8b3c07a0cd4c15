import type { ServerView } from '../src/figures/view-schema.ts';

type Process = ServerView['processes'][number];
type Pool = ServerView['pools'][number];

const LE_MS = [10, 20, 50, 100, 200, 300, 500, 1000, 2000, 3000];

/** Events of a carrier in one second. */
export interface CarrierSecond {
  readonly ok?: number;
  readonly timeout?: number;
  readonly error?: number;
  /** Milliseconds that its answers took. Default 50. */
  readonly ms?: number;
  /** Calls that are open at the end. */
  readonly open?: number;
  readonly retried?: number;
  /** Requests by HTTP. Default: one for each call that ended. */
  readonly sent?: number;
}

/** Events of one second. */
export interface Second {
  /** By carrier; each that is not named answers as `others`. */
  readonly carriers?: Readonly<Record<string, CarrierSecond>>;
  readonly others?: CarrierSecond;
  readonly process?: Partial<Process>;
  readonly pool?: Partial<Pool>;
  readonly view?: Partial<ServerView>;
}

/** Names of the carriers by their ids. */
const NAMES = { renfe: 'Renfe', ouigo: 'Ouigo', avlo: 'Avlo' };
/** When the first view is made; processes have run for a while. */
export const START = 1_000_000;

const times = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };
const noTimes = { leMs: LE_MS, counts: LE_MS.map(() => 0), sumMs: 0 };

const somePool: Pool = {
  ...{ process: 'server-0', id: 'server-0/tasks', kind: 'fork', circuit: 'closed' },
  ...{ completed: 0, failed: 0, aborted: 0, rejected: 0, refused: 0, retried: 0 },
  ...{ wait: times, run: times, transport: times },
  buckets: { wait: noTimes, run: noTimes, transport: noTimes },
  ...{ queued: 0, running: 0, size: 1, slots: 1, workers: { ready: 1 } },
  ...{ lost: 0, killed: 0, recycled: 0, spawned: 1 },
};

export const someProcess: Process = {
  ...{ id: 'server-0', kind: 'server', pid: 1, state: 'ready', ageMs: 60_000 },
  ...{ utilisation: 0.1, requests: 0, refused: 0, inFlight: 0, connections: 1 },
};

const task: Process = { ...someProcess, id: 'server-0/task-0', kind: 'task', pid: 2 };

/** Returns a view of a server in which nothing has happened. */
export function someView(at: number, parts: Partial<ServerView> = {}): ServerView {
  return {
    ...{ at, startedAt: 0, versions: { ticketing: '1', node: 'v26' } },
    modes: {
      ...{ accept: 'single', workers: 1, dispatch: 'fork', dispatchWorkers: 1 },
      ...{ offload: 'whole', coalesce: 'on', tls: false, controls: 'on' },
      ...{ deadlineMs: 2000, carriers: NAMES },
    },
    ...{ processes: [someProcess, task], pools: [somePool], searches: [], routes: [] },
    ...{ coalesce: [], carriers: [], fleets: [], hosts: [], coordinators: [] },
    ...parts,
  };
}

/** Yields a view for each second of a story, and one before it. */
export function* viewsOf(story: Iterable<Second>): Generator<ServerView, void> {
  const counted = new Map(Object.keys(NAMES).map((id) => [id, startOf(id)]));
  let at = START;
  yield someView(at, { carriers: [...counted.values()] });
  for (const { carriers = {}, others = {}, process, pool, view } of story) {
    at += 1000;
    for (const [id, before] of counted) counted.set(id, after(before, carriers[id] ?? others));
    yield someView(at, {
      carriers: [...counted.values()],
      processes: [{ ...someProcess, ...process }, task],
      pools: [{ ...somePool, ...pool }],
      ...view,
    });
  }
}

type Carrier = ServerView['carriers'][number];

function startOf(id: string): Carrier {
  const states = ['ok', 'timeout', 'error'] as const;
  return {
    ...{ process: 'server-0', id, states: Object.fromEntries(states.map((each) => [each, 0])) },
    latency: Object.fromEntries(states.map((each) => [each, noTimes])),
    http: { inFlight: 0, sent: 0, retried: 0, refused: 0 },
  };
}

function after({ states, latency, http, ...of }: Carrier, second: CarrierSecond): Carrier {
  const { ok = 0, timeout = 0, error = 0, ms = 50, open = 0, retried = 0 } = second;
  const { sent = ok + timeout + error + retried } = second;
  const grown = { ok, timeout, error };
  const took = { ok: ms, timeout: 2000, error: ms };
  const all = Object.keys(grown) as (keyof typeof grown)[];
  return {
    ...of,
    states: Object.fromEntries(all.map((each) => [each, (states[each] ?? 0) + grown[each]])),
    latency: Object.fromEntries(
      all.map((each) => [each, more(latency[each] ?? noTimes, grown[each], took[each])]),
    ),
    http: {
      ...http,
      inFlight: open,
      sent: http.sent + sent,
      retried: http.retried + retried,
    },
  };
}

function more(before: typeof noTimes, count: number, ms: number): typeof noTimes {
  const bucket = LE_MS.findIndex((le) => ms <= le);
  const counts = before.counts.map((each, at) => (at === bucket ? each + count : each));
  return { ...before, counts };
}
