import { ANSWERED_STATES, FAILED_STATES } from '../../../search/carrier-states.ts';
import { ms, NONE, percent, whole } from '../../words/amounts.ts';
import { guardFacts, guardOf, guardText } from '../../words/guard-words.ts';
import { faultOf, latencyOf } from '../../words/plan-words.ts';
import { groupedBy, perSecond, type Reading, stateOf, sumOf } from './reading.ts';
import type { Part } from './system-model.ts';

/** Returns the clients of the server as one part. */
export function clientsPart({ view, rates }: Reading): Part {
  const rate = rates.perSecond('http');
  const servers = view.processes.filter(({ kind }) => kind === 'server');
  const open = sumOf(servers, ({ connections }) => connections);
  return {
    id: 'clients',
    kind: 'clients',
    name: 'Clients',
    state: view.processes.length === 0 ? 'unknown' : 'healthy',
    rate,
    lines: [perSecond(rate), `${open} open`],
    counts: { open },
    figures: () => [
      ['Requests', perSecond(rate)],
      ['Open connections', whole(open)],
      ['Errors', perSecond(rates.perSecond('errors'))],
      ['Time to answer, p50', ms(rates.quantile('http', 0.5))],
      ['Time to answer, p99', ms(rates.quantile('http', 0.99))],
    ],
    row: '',
  };
}

/** Returns what hands connections to the server processes; nothing with `--accept single`. */
export function acceptParts(reading: Reading): Part[] {
  const { view, rates } = reading;
  const { accept, routeBy = 'none' } = view.modes;
  if (accept === 'single') return [];
  const { router, cluster } = view;
  const [primary] = reading.inSlot('primary');
  const claim = ms(rates.quantile('claim', 0.99));
  const conditions = [
    ...reading.conditions('router', 'primary'),
    ...reading.conditions('process', 'primary'),
  ];
  const waiting = router?.waiting ?? cluster?.waiting ?? 0;
  return [
    {
      id: 'accept',
      kind: 'accept',
      name: accept === 'cluster' ? 'Primary' : 'Router',
      state: primary === undefined ? 'unknown' : stateOf(conditions),
      rate: rates.perSecond('http'),
      lines:
        accept === 'cluster'
          ? ['node:cluster', `${waiting} waiting`, `${cluster?.dropped ?? 0} dropped`]
          : [byWhat(routeBy), `${waiting} waiting`, `claim p99 ${claim}`],
      counts: { accepted: router?.accepted ?? 0, ...ownTasks(reading) },
      figures: () => [
        ...(router
          ? ([
              ['Way', accept === 'socket' ? 'hands sockets over' : 'proxies requests'],
              ['Accepted', whole(router.accepted)],
              ['Waiting', whole(waiting)],
              ['Claimed within, p99', claim],
              ['Rerouted', whole(router.rerouted)],
              ['Refused', whole(router.refused)],
              ['Left while they waited', whole(router.gone)],
            ] as const)
          : ([
              ['Connections waiting', whole(waiting)],
              ['Dropped', whole(cluster?.dropped)],
              ['Stuck processes replaced', whole(cluster?.wedged)],
            ] as const)),
        ['Busy', percent(primary?.utilisation)],
        ['Event-loop delay, p99', ms(primary?.loopP99Ms)],
        ['Process', primary ? `pid ${primary.pid}` : NONE],
      ],
      row: 'primary',
    },
  ];
}

/** Tasks of the primary's pool belong to it alone where nothing is shared beyond a process. */
function ownTasks({ view }: Reading): { readonly tasks?: number } {
  const { coalesce, dispatch } = view.modes;
  if (dispatch === 'cluster' || (coalesce !== 'on' && coalesce !== 'off')) return {};
  return {
    tasks: sumOf(view.pools, ({ id, completed }) => (id === 'primary/serving' ? completed : 0)),
  };
}

function byWhat(routeBy: string): string {
  if (routeBy === 'none') return 'in turn';
  return routeBy === 'search-key' ? 'by search key' : `by ${routeBy.replace(/^header:/, '')}`;
}

/** Returns a part for each carrier that is asked. */
export function carrierParts(reading: Reading): Part[] {
  const { view, rates } = reading;
  const rows = groupedBy(view.carriers, ({ id }) => id);
  return Object.entries(view.modes.carriers).map(([id, name]): Part => {
    const own = rows.get(id) ?? [];
    const rate = rates.perSecond(`calls ${id}`);
    const p99 = rates.quantile(`carrier ${id}`, 0.99);
    const open = sumOf(own, ({ http }) => http.inFlight);
    const state = own.length === 0 ? 'unknown' : stateOf(reading.conditions('carrier', id));
    const ended = (states: readonly string[]) =>
      sumOf(own, (row) => sumOf(states, (each) => row.states[each]));
    const plan = view.upstream?.find((each) => each.id === id)?.plan;
    const guard = guardOf(own);
    const now = state === 'hangs' ? `${open} open` : ms(p99);
    const isAsked = guard === undefined || (guard.circuit !== 'open' && guard.pausedMs === 0);
    return {
      id: `carrier ${id}`,
      kind: 'carrier',
      name,
      state,
      rate,
      lines: [isAsked ? `${perSecond(rate)} · ${now}` : `guard ${guardText(guard)}`],
      counts: {
        sent: sumOf(own, ({ http }) => http.sent),
        answered: ended(ANSWERED_STATES),
        open,
      },
      figures: () => [
        ['Calls', perSecond(rate)],
        ['Time, p50', ms(rates.quantile(`carrier ${id}`, 0.5))],
        ['Time, p99', ms(p99)],
        ['Open', whole(open)],
        ['Answered', whole(ended(ANSWERED_STATES))],
        ['No answer', whole(ended(['timeout']))],
        ['Failed', whole(ended(FAILED_STATES))],
        [
          'Requests sent, retried',
          `${sumOf(own, ({ http }) => http.sent)}, ${sumOf(own, ({ http }) => http.retried)}`,
        ],
        ...(guard === undefined ? [] : guardFacts(guard)),
        ['Setting', plan === undefined ? 'not ours' : (faultOf(plan) ?? latencyOf(plan))],
      ],
      row: id,
    };
  });
}
