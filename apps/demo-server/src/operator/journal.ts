import type { NewEvent, OperatorEvent } from '../figures/operator-event.ts';
import type { ReportedEvent } from '../figures/process-status.ts';

/** Events of the whole server, the oldest first. */
export interface Journal {
  add(event: NewEvent): void;
  /** Takes what the processes have noted; events that it has already may have changed. `idOf`: id of a process by its pid. */
  take(reports: readonly Report[], idOf: (pid: number) => string | undefined): void;
  /** Notes that a process is ended by hand: its end is not reported once more. */
  expectEnd(pid: number): void;
  list(): OperatorEvent[];
}

/** Events of one process. */
export interface Report {
  readonly id: string;
  readonly pid: number;
  readonly events: readonly ReportedEvent[];
}

const MOST = 50;
const MOST_MARKS = 99;
const MOST_EXPECTED = 50;

const MARKED: ReadonlySet<OperatorEvent['kind']> = new Set([
  'fault-set',
  'fault-ended',
  'latency-set',
  'load-started',
  'load-ended',
  'reload-started',
  'reload-ended',
  'killed',
  'worker-exit',
  'worker-stuck',
  'circuit-open',
  'hangs',
  'dead',
  'fails',
  'full',
  'redis-down',
  'host-lost',
]);

/** Creates a journal without an event. */
export function createJournal(): Journal {
  let events: OperatorEvent[] = [];
  let last = 0;
  let marks = 0;
  /** Latest number that each process has given to an event, by pid. */
  const seen = new Map<number, number>();
  /** Numbers of events here, by pid and number there. */
  const numbers = new Map<string, number>();
  const expected = new Set<number>();
  /** Workers that ended and have no successor yet. */
  let ended = 0;

  function add(event: NewEvent): number {
    last += 1;
    const isMarked = MARKED.has(event.kind);
    if (isMarked) marks = (marks % MOST_MARKS) + 1;
    events.push({ no: last, ...(isMarked && { mark: marks }), ...event });
    events = events.sort((one, other) => one.at - other.at).slice(-MOST);
    return last;
  }

  /** A worker that starts is no event, unless one has ended: with a server, or a reload, many do. */
  function isNews({ kind, pid }: ReportedEvent): boolean {
    if (kind === 'worker-exit') {
      if (pid !== undefined && expected.delete(pid)) return false;
      ended += 1;
    }
    if (kind !== 'worker-ready') return true;
    if (ended === 0) return false;
    ended -= 1;
    return true;
  }

  return {
    add,
    take(reports, idOf) {
      for (const { id, pid, events: reported } of reports) {
        for (const { no, pid: about, at, kind, severity, text, detail } of reported) {
          const key = `${pid} ${no}`;
          const known = events.find((each) => each.no === numbers.get(key));
          const name = about === undefined ? undefined : (idOf(about) ?? `Process ${about}`);
          const words = name === undefined ? text : `${name} ${text}`;
          if (known !== undefined) known.text = words;
          if (no <= (seen.get(pid) ?? 0)) continue;
          seen.set(pid, no);
          if (!isNews({ no, pid: about, at, kind, severity, text })) continue;
          const own = { at, kind, severity, process: name ?? id, text: words };
          numbers.set(key, add({ ...own, ...(detail !== undefined && { detail }) }));
        }
      }
      const pids = new Set(reports.map(({ pid }) => pid));
      for (const pid of seen.keys()) if (!pids.has(pid)) seen.delete(pid);
      const kept = new Set(events.map(({ no }) => no));
      for (const [key, no] of numbers) if (!kept.has(no)) numbers.delete(key);
    },
    expectEnd(pid) {
      expected.add(pid);
      if (expected.size > MOST_EXPECTED) expected.delete([...expected][0] ?? pid);
      ended += 1;
    },
    list: () => events.map((event) => ({ ...event })),
  };
}
