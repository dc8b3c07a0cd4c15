import { type Reading, sumOf, workPlaceOf } from './reading.ts';
import { CALLS, type ColumnKind, type Edge, JOIN, type Part } from './system-model.ts';

type Parts = Readonly<Record<ColumnKind, readonly Part[]>>;

/** One end of an edge; its rate decides its share where several have one total. */
interface End {
  readonly id: string;
  readonly rate?: number | undefined;
  /** Id of the server that it belongs to alone. */
  readonly owner?: string | undefined;
}

/** Returns every way that work takes between parts, with its rate. */
export function edgesOf(reading: Reading, parts: Parts): Edge[] {
  return [
    ...requestEdges(reading, parts),
    ...workEdges(reading, parts),
    ...parts.carriers.map(({ id, rate, state }): Edge => ({ from: CALLS, to: id, rate, state })),
  ];
}

/** Ways from the clients to the servers, and on to where their searches are shared. */
function requestEdges({ rates }: Reading, parts: Parts): Edge[] {
  const { clients, accept, servers, coalescing } = parts;
  const [first = { id: 'clients' }] = [...accept, ...clients];
  return [
    ...accept.map(({ id, rate }) => edge('clients', id, rate)),
    ...servers.map(({ id, rate }) => edge(first.id, id, rate)),
    ...servers.flatMap(({ id, row }) =>
      ownedBy(row, coalescing).map((funnel) =>
        edge(id, funnel.id, rates.perSecond(`asked process ${row}`)),
      ),
    ),
  ];
}

/** Ways from there to where the work of carriers runs, and to the place where all calls join. */
function workEdges({ view, rates }: Reading, parts: Parts): Edge[] {
  const place = workPlaceOf(view.modes);
  const pools = parts.workers;
  const hosts = parts.hosts.filter(({ row }) => row !== '');
  const sources = sourcesOf(parts);
  // With `normalise` the servers ask the carriers; workers decode what came.
  const asksHere =
    view.modes.offload === 'normalise' ||
    place === 'servers' ||
    (place === 'hosts' && hosts.length === 0);
  const calls = totalOf(parts.carriers);
  // Hosts that own keys ask every carrier for each question.
  const asked = place === 'hosts' ? 0 : (totalOf(hosts) ?? 0) * parts.carriers.length;
  const byOwners = calls === undefined ? undefined : Math.min(calls, asked);
  const rest = calls === undefined ? undefined : calls - (byOwners ?? 0);
  const callers = place === 'hosts' ? hosts : pools;
  const direct = sources.map((source) => ({
    ...source,
    rate:
      source.owner === undefined
        ? source.rate
        : (rates.perSecond(`tasks ${source.owner}/tasks`) ?? source.rate),
  }));
  return [
    ...pools.flatMap((pool) => split(pool.rate, ownedBy(pool.owner, sources), { to: pool.id })),
    ...(hosts.length === 0 ? [] : split(totalOf(hosts), sources, { to: JOIN })),
    ...hosts.map(({ id, rate, state }): Edge => ({ from: JOIN, to: id, rate, state })),
    ...split(rest, asksHere ? direct : callers, { to: CALLS }),
    ...(place === 'hosts' ? [] : split(byOwners, hosts, { to: CALLS })),
  ];
}

/** Parts that loads come out of. */
function sourcesOf({ servers, coalescing }: Parts): readonly End[] {
  return coalescing.length > 0
    ? coalescing
    : servers.map(({ id, row, rate }) => ({ id, rate, owner: row }));
}

/** Parts that belong to a server, or to all. */
function ownedBy<E extends End>(server: string | undefined, ends: readonly E[]): readonly E[] {
  return ends.filter(
    ({ owner }) => owner === undefined || server === undefined || owner === server,
  );
}

/** Divides a rate among edges that begin at `ends`, by their own rates. */
function split(rate: number | undefined, ends: readonly End[], { to }: { readonly to: string }) {
  const all = totalOf(ends) ?? 0;
  return ends.map(({ id, rate: own = 0 }) => {
    const share = all === 0 ? 1 / ends.length : own / all;
    return edge(id, to, rate === undefined ? undefined : rate * share);
  });
}

/** Adds up the rates of some parts; `undefined` if none is known. */
function totalOf(ends: readonly End[]): number | undefined {
  return ends.some(({ rate }) => rate !== undefined) ? sumOf(ends, ({ rate }) => rate) : undefined;
}

function edge(from: string, to: string, rate: number | undefined): Edge {
  return { from, to, rate, state: 'healthy' };
}
