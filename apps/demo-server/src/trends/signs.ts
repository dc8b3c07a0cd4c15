import type { Condition } from '../figures/trend-schemas.ts';
import type { ServerView } from '../figures/view-schema.ts';
import type { Rates } from './rates.ts';

/** Something that one view shows of a part of the server. A condition follows if it lasts. */
export interface Sign extends Omit<Condition, 'since'> {
  /** Epoch ms, if the sign is known to have begun before the first view that shows it. */
  readonly since?: number;
  /** Milliseconds for which the sign must show before it is a condition. */
  readonly afterMs: number;
  /** Milliseconds for which the sign must be absent before its condition ends. */
  readonly untilMs: number;
}

/** Share of the time from which an event loop is busy. */
export const BUSY = 0.8;
const BUSY_MS = 10_000;
/** Time for which a process that hangs for a moment, or a machine that is busy, is no reason to worry. */
const SILENT_MS = 2000;
/** A successor is shown as new for so long that people see it. */
const NEW_MS = 3000;
const QUEUE_MS = 3000;
const atOnce = { afterMs: 0, untilMs: 0 } as const;

/** Returns what a view shows of everything but carriers. */
export function signsOf(view: ServerView, rates: Rates): Sign[] {
  return [
    ...view.processes.flatMap((process) => processSigns(process, rates)),
    ...view.pools.flatMap((pool) => poolSigns(pool, view)),
    ...hostSigns(view),
    ...routerSigns(view, rates),
    ...sharingSigns(view, rates),
  ];
}

type Process = ServerView['processes'][number];

function processSigns({ id, state, ageMs, utilisation = 0 }: Process, rates: Rates): Sign[] {
  const of = { subject: 'process', id, name: nameOf(id) } as const;
  if (state === 'silent') {
    const says = 'does not answer';
    return [{ ...of, state: 'hangs', severity: 'bad', says, afterMs: SILENT_MS, untilMs: 0 }];
  }
  if (state === 'retiring' || state === 'stopping') {
    return [{ ...of, state: 'stopping', severity: 'note', says: 'stops', ...atOnce }];
  }
  if (state === 'starting' || ageMs < NEW_MS) {
    return [{ ...of, state: 'starting', severity: 'note', says: 'starts', ...atOnce }];
  }
  const signs: Sign[] = [];
  if (utilisation > BUSY) {
    const detail = `${Math.round(utilisation * 100)} % busy`;
    const lasting = { afterMs: BUSY_MS, untilMs: 3000 };
    signs.push({ ...of, state: 'slow', severity: 'warn', says: 'is slow', detail, ...lasting });
  }
  // Refusals come in bursts: all of one overload are one condition.
  const refused = rates.recent(`refused ${id}`);
  if (refused > 0) {
    const detail = `${counted(refused, 'request')} in 10 s`;
    const says = 'refuses requests';
    signs.push({ ...of, state: 'full', severity: 'warn', says, detail, ...atOnce });
  }
  return signs;
}

function poolSigns(pool: ServerView['pools'][number], { processes }: ServerView): Sign[] {
  const { id, process, slots, queued, circuit, kind } = pool;
  const of = { subject: 'pool', id, name: poolName(process) } as const;
  const signs: Sign[] = [];
  if (circuit !== 'closed') {
    signs.push({ ...of, state: 'fails', severity: 'bad', says: 'fail to start', ...atOnce });
  }
  if (queued > 0) {
    const detail = `${counted(queued, 'call')} queued`;
    const lasting = { afterMs: QUEUE_MS, untilMs: QUEUE_MS };
    const says = 'have no room';
    signs.push({ ...of, state: 'full', severity: 'warn', says, detail, ...lasting });
  }
  if (slots === undefined || kind === 'in-process') return signs;
  const ids = new Set(processes.map((each) => each.id));
  const prefix = process === 'primary' ? 'server' : `${process}/task`;
  for (let slot = 0; slot < slots; slot += 1) {
    const missing = `${prefix}-${slot}`;
    if (ids.has(missing)) continue;
    const who = { subject: 'process', id: missing, name: nameOf(missing) } as const;
    const says = 'is dead';
    signs.push({ ...who, state: 'dead', severity: 'bad', says, afterMs: 1000, untilMs: 0 });
  }
  return signs;
}

function hostSigns({ hosts, fleets }: ServerView): Sign[] {
  const of = (name: string) => ({ subject: 'host', id: name, name: `Host ${name}` }) as const;
  const ofHosts = hosts.flatMap(({ name, state, refused }): Sign[] => {
    if (state === 'leaving') {
      return [{ ...of(name), state: 'stopping', severity: 'note', says: 'leaves', ...atOnce }];
    }
    if (state === 'silent') {
      const says = 'does not answer';
      const lasting = { afterMs: SILENT_MS, untilMs: 0 };
      return [{ ...of(name), state: 'hangs', severity: 'bad', says, ...lasting }];
    }
    if (state !== 'refused') return [];
    const why = refused === undefined ? {} : { detail: refused };
    const says = 'is not used';
    return [{ ...of(name), state: 'fails', severity: 'bad', says, ...why, ...atOnce }];
  });
  const ofFleets = fleets.flatMap(({ name, state, process }): Sign[] => {
    if (state === 'connected' || state === 'connecting') return [];
    const who = { subject: 'fleet', id: name, name: `Fleet ${name}` } as const;
    const detail = `in ${process}`;
    const says = 'is not connected';
    return [{ ...who, state: 'fails', severity: 'bad', says, detail, ...atOnce }];
  });
  return [...ofHosts, ...ofFleets];
}

function routerSigns({ router, cluster }: ServerView, rates: Rates): Sign[] {
  const of = { subject: 'router', id: 'primary', state: 'full', severity: 'warn' } as const;
  const waiting = router?.waiting ?? cluster?.waiting ?? 0;
  const name = router === undefined ? 'Primary' : 'Router';
  const refused = rates.recent('refused router');
  const signs: Sign[] = [];
  if (waiting > 0) {
    const detail = `${counted(waiting, 'connection')} waiting`;
    const lasting = { afterMs: QUEUE_MS, untilMs: QUEUE_MS };
    signs.push({ ...of, name, says: 'has a queue', detail, ...lasting });
  }
  if (refused > 0) {
    const detail = `${counted(refused, 'connection')} in 10 s`;
    signs.push({ ...of, name, says: 'refuses connections', detail, ...atOnce });
  }
  return signs;
}

function sharingSigns({ coordinators, coalesce }: ServerView, rates: Rates): Sign[] {
  const full = [...new Set(coalesce.map(({ process }) => process))].flatMap((id): Sign[] => {
    const overflowed = rates.recent(`overflowed ${id}`);
    if (overflowed === 0) return [];
    const of = { subject: 'coalescer', id, name: `Coalescing of ${id}` } as const;
    const detail = `${counted(overflowed, 'call')} not shared in 10 s`;
    return [{ ...of, state: 'full', severity: 'warn', says: 'is full', detail, ...atOnce }];
  });
  const down = coordinators.filter(({ state }) => state !== 'up').length;
  if (down === 0) return full;
  const of = { subject: 'redis', id: 'redis', name: 'Redis' } as const;
  const isAll = down === coordinators.length;
  const detail = isAll
    ? 'no loads are shared'
    : `${down} of ${coordinators.length} processes share no loads`;
  const says = 'does not answer';
  return [...full, { ...of, state: 'hangs', severity: 'bad', says, detail, ...atOnce }];
}

function poolName(process: string): string {
  return process === 'primary' ? 'Server processes' : `Workers of ${process}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function nameOf(id: string): string {
  const [process, worker] = id.split('/task-');
  return worker === undefined ? id : `task-${worker} of ${process}`;
}
