import { sharedScope } from '../../../trends/shared-scope.ts';
import { savedShare } from '../../../trends/view-rates.ts';
import { counted, percent, whole } from '../../words/amounts.ts';
import { perSecond, present, type Reading, stateOf, sumOf, workPlaceOf } from './reading.ts';
import type { Part } from './system-model.ts';

type Row = Reading['view']['coalesce'][number];

/** Returns where equal searches become one load: in each server process, or in one place for all; nowhere with `--coalesce off`. */
export function funnelParts(reading: Reading): Part[] {
  const { view, rates } = reading;
  const { coalesce, fleet } = view.modes;
  const scope = sharedScope(coalesce);
  if (scope === undefined) return [];
  if (scope === 'process') {
    return reading.servers.map((server) => ({
      ...funnelPart(reading, {
        id: server,
        share: savedShare(rates, `process ${server}`),
        asked: rates.perSecond(`asked process ${server}`),
        loads: rates.perSecond(`led process ${server}`),
        rows: view.coalesce.filter((row) => row.process === server && row.scope === scope),
      }),
      name: server,
      owner: server,
    }));
  }
  const names = { machine: 'all processes', fleet: `fleet ${fleet}`, shared: 'by Redis' };
  const all = funnelPart(reading, {
    id: 'all',
    rows: view.coalesce,
    share: savedShare(rates),
    asked: rates.perSecond('asked'),
    loads: rates.perSecond('led'),
  });
  return [{ ...all, name: names[scope] }];
}

interface Sharing {
  readonly id: string;
  readonly share: number | undefined;
  readonly asked: number | undefined;
  readonly loads: number | undefined;
  readonly rows: readonly Row[];
}

function funnelPart(
  reading: Reading,
  { id, share, asked, loads, rows }: Sharing,
): Omit<Part, 'name'> {
  const { view } = reading;
  // The primary's own pool runs loads for it, unless it runs the work of carriers; other members run the loads of their keys.
  const pools = view.pools.filter(
    (pool) =>
      id === 'all' &&
      (pool.id.endsWith('/keys') ||
        (pool.id === 'primary/serving' && workPlaceOf(view.modes) !== 'primary')),
  );
  const counts = {
    asked: sumOf(rows, (row) => (row.scope === 'process' ? row.asked : 0)),
    led: sumOf(rows, (row) => row.led),
    joined: sumOf(rows, (row) => row.joined),
    hits: sumOf(rows, (row) => row.hits),
    tasks: sumOf(pools, ({ completed }) => completed),
  };
  const { fleets, coordinators } = view;
  const conditions = [
    ...reading.conditions('coalescer', id),
    ...(id === 'all'
      ? view.health.filter(
          ({ subject }) => subject === 'coalescer' || subject === 'redis' || subject === 'fleet',
        )
      : []),
  ];
  const keys = fleets.filter((row) => row.id === 'keys');
  return {
    id: `funnel ${id}`,
    kind: 'funnel',
    state: view.processes.length === 0 ? 'unknown' : stateOf(conditions),
    rate: loads,
    lines: [
      percent(share),
      share === undefined ? 'no calls now' : 'calls saved',
      `${perSecond(asked)} asked`,
      `${perSecond(loads)} loads`,
    ],
    share,
    counts,
    figures: () => [
      ['Asked', perSecond(asked)],
      ['Loads', perSecond(loads)],
      ['Calls saved', percent(share)],
      ['Asked so far', whole(counts.asked)],
      ['Joined so far', whole(counts.joined)],
      ['Answered from what is kept', whole(counts.hits)],
      ['In flight', whole(sumOf(rows, (row) => row.inFlight))],
      ...present([
        keys.length > 0 && [
          'Keys here, elsewhere',
          `${sumOf(keys, (row) => row.own)}, ${sumOf(keys, (row) => row.others)}`,
        ],
      ]),
      ...coordinators.map(
        ({ process, state, errors }) =>
          [`Redis of ${process}`, `${state}, ${counted(errors, 'error')}`] as const,
      ),
    ],
    row: id,
  };
}
