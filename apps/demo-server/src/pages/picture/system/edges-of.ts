import { type Reading, sumOf, workPlaceOf } from './reading.ts';
import { CALLS, type ColumnKind, type Edge, JOIN, type Part } from './system-model.ts';

type Parts = Readonly<Record<ColumnKind, readonly Part[]>>;

/** One end of an edge; its rate decides its share where several have one total. */
interface End {
  readonly id: string;
  readonly rate?: number | undefined;
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
function workEdges(reading: Reading, parts: Parts): Edge[] {
  const { offload, coalesce } = reading.view.modes;
  const place = workPlaceOf(reading.view.modes);
  const pools = parts.workers;
  const hosts = parts.hosts.filter(({ row }) => row !== '');
  const sources = sourcesOf(parts);
  // With `normalise` the servers ask the carriers; workers decode what came.
  const asksHere =
    offload === 'normalise' || place === 'servers' || (place === 'hosts' && hosts.length === 0);
  // Hosts that own keys ask the carriers, wherever the servers' own work runs.
  const hostsAsk = place !== 'hosts' || !asksHere || coalesce === 'fleet';
  const senders = [...(asksHere ? sources : pools), ...(hostsAsk ? hosts : [])];
  return [
    ...pools.flatMap((pool) => split(pool.rate, ownedBy(pool.owner, sources), { to: pool.id })),
    ...(hosts.length === 0 ? [] : split(totalOf(hosts), sources, { to: JOIN })),
    ...hosts.map(({ id, rate, state }): Edge => ({ from: JOIN, to: id, rate, state })),
    ...split(
      totalOf(parts.carriers),
      senders.map((part) => ({ id: part.id, rate: sentBy(part, reading) })),
      { to: CALLS },
    ),
  ];
}

/** Returns the rate of requests to carriers by the processes of a part. */
function sentBy(
  { kind, owner, row, workers }: Part,
  { servers, rates, inSlot }: Reading,
): number | undefined {
  const all = kind === 'host' ? [row] : owner === undefined ? ['primary', ...servers] : [owner];
  const slots = workers?.map((worker) => worker.row) ?? all;
  const ids = slots.flatMap((slot) => inSlot(slot).map(({ id }) => id));
  return totalOf(ids.map((id) => ({ id, rate: rates.perSecond(`sent by ${id}`) })));
}

/** Parts that loads come out of. */
function sourcesOf({ servers, coalescing }: Parts): readonly Part[] {
  return coalescing.length > 0
    ? coalescing
    : servers.map((server) => ({ ...server, owner: server.row }));
}

/** Parts that belong to a server, or to all. */
function ownedBy(server: string | undefined, ends: readonly Part[]): readonly Part[] {
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
