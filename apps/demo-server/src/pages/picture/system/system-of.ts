import type { OperatorView } from '../../../figures/view-schema.ts';
import { counted } from '../../words/amounts.ts';
import { edgesOf } from './edges-of.ts';
import { acceptParts, carrierParts, clientsPart } from './end-parts.ts';
import { funnelParts } from './funnel-parts.ts';
import { hostParts, poolParts, serverParts } from './process-parts.ts';
import { readingOf, sumOf, workPlaceOf } from './reading.ts';
import type { Column, ColumnKind, Part, SystemModel } from './system-model.ts';

type Modes = OperatorView['modes'];

/** Returns what a server consists of now, and how much flows through each part. */
export function systemOf(view: OperatorView): SystemModel {
  const reading = readingOf(view);
  const parts: Readonly<Record<ColumnKind, readonly Part[]>> = {
    clients: [clientsPart(reading)],
    accept: acceptParts(reading),
    servers: serverParts(reading),
    coalescing: funnelParts(reading),
    hosts: hostParts(reading),
    workers: poolParts(reading),
    carriers: carrierParts(reading),
  };
  const columns = Object.entries(parts) as [ColumnKind, readonly Part[]][];
  return {
    columns: columns
      .filter(([, { length }]) => length > 0)
      .map(([kind, own]): Column => ({ kind, title: titleOf(kind, own, view.modes), parts: own })),
    edges: edgesOf(reading, parts),
  };
}

/** Returns the picture of a server of which nothing is known but how it is composed. */
export function systemAtRest(modes: Modes): SystemModel {
  return systemOf({
    at: 0,
    startedAt: 0,
    versions: { ticketing: '', node: '' },
    modes,
    processes: [],
    searches: [],
    routes: [],
    coalesce: [],
    pools: [],
    fleets: [],
    hosts: [],
    coordinators: [],
    carriers: [],
    rates: { perSecond: {}, recent: {}, p50: {}, p99: {} },
    sample: { at: 0, lines: {} },
    health: [],
    events: [],
  });
}

function titleOf(kind: ColumnKind, parts: readonly Part[], modes: Modes): string {
  const { dispatch, fleet, offload } = modes;
  const titles: Readonly<Record<ColumnKind, () => string>> = {
    clients: () => 'Clients',
    accept: () => 'Accept',
    servers: () => counted(parts.length, 'server process', 'server processes'),
    coalescing: () => 'Coalescing',
    hosts: () =>
      `${counted(parts.filter(({ row }) => row !== '').length, 'host')} of fleet ${fleet}`,
    workers() {
      const what =
        { whole: '', normalise: ', decoding', search: ', whole searches' }[offload] ?? '';
      if (workPlaceOf(modes) === 'primary') return `Tasks, ${dispatch}${what}`;
      const workers = sumOf(parts, (part) => part.workers?.length);
      return `${counted(workers, 'task worker')}, ${dispatch}${what}`;
    },
    carriers: () => counted(parts.length, 'carrier'),
  };
  return titles[kind]();
}
