import { bytes, counted, ms, NONE, percent, whole } from '../../words/amounts.ts';
import type { PartState } from '../../words/state-marks.ts';
import {
  groupedBy,
  type ProcessRow,
  perSecond,
  present,
  type Reading,
  stateOf,
  sumOf,
  workPlaceOf,
} from './reading.ts';
import type { Figures, Part } from './system-model.ts';

type Pool = Reading['view']['pools'][number];

/** Returns a part for each server process that there is to be. */
export function serverParts(reading: Reading): Part[] {
  const { view, rates } = reading;
  return reading.servers.map((id): Part => {
    const rows = reading.inSlot(id);
    const [row] = rows;
    const rate = row && rates.perSecond(`requests ${id}`);
    const inFlight = sumOf(rows, (each) => each.inFlight);
    // Workers have a part of their own; hosts run tasks for a server, whose pool counts them.
    const pools = workPlaceOf(view.modes) === 'workers' ? [] : poolsOf(reading, `${id}/tasks`);
    return {
      id: `server ${id}`,
      kind: 'server',
      name: id,
      state: processState(reading, id),
      rate,
      lines: [row ? `${perSecond(rate)} · ${inFlight} in flight` : NONE],
      share: row?.utilisation,
      counts: { requests: sumOf(rows, (each) => each.requests), tasks: tasksOf(pools) },
      figures: () => [
        ['Requests', perSecond(rate)],
        ['In flight', whole(row && inFlight)],
        ['Waiting', whole(row?.waiting)],
        ['Refused', whole(row?.refused)],
        ['Connections', whole(row?.connections)],
        ...processFigures(rows),
        ...pools.flatMap(poolFigures),
      ],
      row: id,
    };
  });
}

/** Returns a pool for each server that has workers of its own, or the one of the primary; no pool where hosts or the servers work. */
export function poolParts(reading: Reading): Part[] {
  const place = workPlaceOf(reading.view.modes);
  if (place === 'primary') return [primaryPool(reading)];
  return place === 'workers' ? reading.servers.map((server) => workerPool(reading, server)) : [];
}

function workerPool(reading: Reading, server: string): Part {
  const id = `${server}/tasks`;
  const [pool] = poolsOf(reading, id);
  const slots = pool?.slots ?? reading.view.modes.dispatchWorkers;
  const workers = Array.from({ length: slots }, (_, slot) =>
    workerPart(reading, server, `${server}/task-${slot}`),
  );
  return { ...poolPart(reading, id, pool), name: `tasks of ${server}`, owner: server, workers };
}

/** The server processes run the tasks, which the primary spreads over them. */
function primaryPool(reading: Reading): Part {
  const id = 'primary/serving';
  const [pool] = poolsOf(reading, id);
  return { ...poolPart(reading, id, pool), name: 'tasks in all servers' };
}

function poolPart(reading: Reading, id: string, pool: Pool | undefined): Omit<Part, 'name'> {
  const rate = reading.rates.perSecond(`tasks ${id}`);
  const queued = pool?.queued ?? 0;
  return {
    id: `pool ${id}`,
    kind: 'pool',
    state: pool ? stateOf(reading.conditions('pool', id)) : 'unknown',
    rate,
    lines: [perSecond(rate), ...(queued > 0 ? [`${queued} queued`] : [])],
    counts: { tasks: tasksOf(pool ? [pool] : []), running: pool?.running ?? 0, queued },
    figures: () => [
      ['Tasks', perSecond(rate)],
      ...(pool ? poolFigures(pool) : []),
      ['Wait, p50, p99', quantiles(reading, `wait ${id}`)],
      ['Run, p50, p99', quantiles(reading, `run ${id}`)],
    ],
    row: id,
  };
}

function workerPart(reading: Reading, server: string, id: string): Part {
  const rows = reading.inSlot(id);
  const [row] = rows;
  const running = sumOf(rows, ({ inFlight }) => inFlight);
  return {
    id: `worker ${id}`,
    kind: 'worker',
    name: id,
    state: row ? processState(reading, id) : missingState(reading, server, id),
    lines: [whole(row && running)],
    share: row && Math.min(1, running / Math.max(1, row.window ?? 1)),
    counts: { running },
    figures: () => [
      ['Running', row ? `${running} of ${row.window ?? NONE}` : NONE],
      ['Tasks so far', whole(row?.requests)],
      ...processFigures(rows),
    ],
    row: id,
  };
}

/** A worker that there is not: nothing is known of it while its server has not reported. */
function missingState(reading: Reading, server: string, id: string): PartState {
  const state = stateOf(reading.conditions('process', id));
  if (state !== 'healthy') return state;
  const owner = processState(reading, server);
  if (owner === 'dead' || owner === 'starting') return owner;
  return poolsOf(reading, `${server}/tasks`).length === 0 ? 'unknown' : 'dead';
}

/** Returns the state of a process, of which there is to be one. */
function processState(reading: Reading, id: string): PartState {
  const state = stateOf(reading.conditions('process', id));
  if (state !== 'healthy' || reading.inSlot(id).length > 0) return state;
  return reading.view.processes.length === 0 ? 'unknown' : 'dead';
}

/** Returns a part for each host that runs tasks or answers questions for this server. */
export function hostParts(reading: Reading): Part[] {
  const { view, rates } = reading;
  const others = view.hosts.filter(({ isSelf }) => !isSelf);
  const hosts = [...groupedBy(others, ({ name }) => name)]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, seen]): Part => {
      const rate = rates.perSecond(`host ${name}`);
      const running = sumOf(seen, ({ inFlight }) => inFlight);
      const credit = Math.max(0, ...seen.map((each) => each.credit ?? 0));
      const rtts = seen.flatMap(({ rttMs }) => rttMs ?? []);
      const rtt = ms(rtts.length === 0 ? undefined : Math.min(...rtts));
      const rows = reading.inSlot(name);
      const conditions = [
        ...reading.conditions('host', name),
        ...reading.conditions('process', name),
      ];
      return {
        id: `host ${name}`,
        kind: 'host',
        name,
        state: stateOf(conditions),
        rate,
        lines: [`${perSecond(rate)} · ${running} running`, `${rtt} away`],
        counts: { done: sumOf(seen, ({ done }) => done), running },
        figures: () => [
          ['Calls', perSecond(rate)],
          ['Running', `${running} of ${credit}`],
          ['Round trip', rtt],
          ['For', [...new Set(seen.map(({ fleet }) => USES[fleet]))].join(', ')],
          ['Zone', seen[0]?.zone ?? NONE],
          ['Revision', seen[0]?.revision ?? NONE],
          ...processFigures(rows),
        ],
        row: name,
      };
    });
  const isWanted = workPlaceOf(view.modes) === 'hosts';
  return hosts.length === 0 && isWanted ? [noHost(view)] : hosts;
}

const USES = { tasks: 'tasks of carriers', keys: 'questions' } as const;

/** Stands for the hosts of a fleet that has none. */
function noHost({ processes, pools }: Reading['view']): Part {
  const hasFallback = pools.some(({ fallback }) => fallback !== undefined);
  return {
    id: 'host',
    kind: 'host',
    name: 'No host',
    state: processes.length === 0 ? 'unknown' : 'dead',
    lines: processes.length === 0 ? [NONE] : [hasFallback ? 'tasks run in servers' : 'tasks fail'],
    counts: {},
    figures: () => [],
    row: '',
  };
}

function processFigures(rows: readonly ProcessRow[]): Figures {
  const [row] = rows;
  if (row === undefined) return [];
  const { pid, threadId, utilisation, loopP99Ms, memoryBytes, ageMs } = row;
  return [
    ['Busy', percent(utilisation)],
    ['Event-loop delay, p99', ms(loopP99Ms)],
    ['Memory', bytes(memoryBytes)],
    ['Age', age(ageMs)],
    ['Process', `pid ${pid}${threadId === undefined ? '' : `, thread ${threadId}`}`],
    ...present([
      rows.length > 1 && ['Being replaced', counted(rows.length - 1, 'process', 'processes')],
    ]),
  ];
}

function poolFigures(pool: Pool): Figures {
  const { running, queued, lost, killed, recycled, circuit, fallback } = pool;
  return [
    ['Tasks running, queued', `${running}, ${queued}`],
    ['Workers lost, killed, recycled', `${lost}, ${killed}, ${recycled}`],
    ...present([
      circuit !== 'closed' && ['Circuit', circuit],
      fallback && ['Tasks without a host', `${fallback.ran} here, ${fallback.refused} refused`],
    ]),
  ];
}

function poolsOf({ view }: Reading, id: string): Pool[] {
  return view.pools.filter((pool) => pool.id === id);
}

function tasksOf(pools: readonly Pool[]): number {
  return sumOf(pools, ({ completed }) => completed);
}

function quantiles({ rates }: Reading, name: string): string {
  const p50 = rates.quantile(name, 0.5);
  return p50 === undefined ? NONE : `${ms(p50)}, ${ms(rates.quantile(name, 0.99))}`;
}

function age(ageMs: number): string {
  const seconds = Math.round(ageMs / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
