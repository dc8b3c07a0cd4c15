import type { CoalescerStats } from '@ticketing/batching';
import type { PrimaryStats, ServerStats } from './process-status.ts';
import type { OperatorView } from './view-schema.ts';

type Row = OperatorView['coalesce'][number];

/** Rows of the coalescers of a server process. */
export function coalescersOf(id: string, { coalesce, streams, worms }: ServerStats): Row[] {
  const { asked, joined, inFlight } = streams;
  const loaded = asked - joined;
  return [
    ...coalescerRows(id, 'process', [coalesce, worms.coalesce]),
    {
      ...{ process: id, name: 'streams', scope: 'process', asked, joined, loaded, inFlight },
      ...{ led: loaded, hits: 0, overflowed: 0 },
    },
  ];
}

/** Rows of the coalescers of the primary, which answers all processes of the machine. */
export function machineCoalescers({ coalesce, worms }: PrimaryStats): Row[] {
  return coalescerRows('primary', 'machine', [coalesce, worms.coalesce]);
}

/** Rows of the coalescers of a process that answers questions of a fleet; none for any other. */
export function fleetCoalescers(
  id: string,
  shared: Pick<PrimaryStats, 'coalesce' | 'worms'> | undefined,
): Row[] {
  return shared === undefined
    ? []
    : coalescerRows(id, 'fleet', [shared.coalesce, shared.worms.coalesce]);
}

/** What the coalescers of a process asked Redis for: its own loads, those of others, and kept answers. */
export function sharedRows(id: string, shared: ServerStats['shared']): Row[] {
  return Object.entries(shared?.loads ?? {}).map(([name, stats]) => {
    const { asked, followed: joined, kept: hits, inFlight } = stats;
    const led = stats.led + stats.local;
    const counted = { asked, led, joined, hits, loaded: led, overflowed: 0, inFlight };
    return { process: id, name, scope: 'shared', ...counted };
  });
}

function coalescerRows(
  id: string,
  scope: Row['scope'],
  all: readonly (CoalescerStats | undefined)[],
): Row[] {
  return all.flatMap((one) => {
    if (one === undefined) return [];
    const { name, asked, led, joined, hits, loaded, overflowed, inFlight } = one;
    return [{ process: id, name, scope, asked, led, joined, hits, loaded, overflowed, inFlight }];
  });
}
