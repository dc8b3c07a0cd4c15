import type { OperatorView } from '../../figures/view-schema.ts';
import { type DispatchName, dispatchKind } from '../../flags/dispatch-kinds.ts';
import { ratesOf } from '../../trends/view-rates.ts';
import { ms } from '../words/amounts.ts';

/** Returns the composition of the server in sentences. */
export function modesText({ modes }: Pick<OperatorView, 'modes'>): string {
  const { accept, workers, coalesce, fleet, keep, routeBy } = modes;
  const keyed = routeBy === undefined || routeBy === 'none' ? '' : ` by ${routeBy}`;
  const serving = {
    single: 'One process serves',
    cluster: `${workers} processes serve, and a primary hands each its connections`,
    socket: `${workers} processes serve, and a router hands sockets over${keyed}`,
    passthru: `${workers} processes serve, and a router proxies requests${keyed}`,
  }[accept];
  const shared = {
    on: 'identical searches are shared in each process',
    machine: 'identical searches are shared by all processes',
    fleet: `identical searches are shared by all hosts of fleet ${fleet}`,
    shared: 'identical searches are shared by all servers with the same Redis',
    off: 'identical searches are not shared',
  }[coalesce];
  const kept = keep === undefined ? [] : [`answers of carriers are kept for ${keep}`];
  return [serving, tasksText(modes), shared, ...kept].join('; ');
}

function tasksText({ accept, dispatch, dispatchWorkers, fleet }: OperatorView['modes']): string {
  const { workers, inServers, inFleet } = dispatchKind(dispatch as DispatchName);
  const isSingle = accept === 'single';
  if (inFleet) return `carriers are asked by the hosts of fleet ${fleet}`;
  if (workers === undefined) return 'carriers are asked where the request is';
  if (inServers && !isSingle) return 'carriers are asked by all of them';
  const own = isSingle ? '' : ' of each';
  return `carriers are asked by ${dispatch} (${workers}, ${dispatchWorkers}${own})`;
}

/** Returns what the router has done with connections, in words. */
export function routerText(view: OperatorView): string {
  if (view.router === undefined) return '';
  const { accepted, waiting, rerouted, refused, gone } = view.router;
  const claim = ms(ratesOf(view).quantile('claim', 0.99));
  return `${accepted} accepted, ${waiting} waiting, ${rerouted} rerouted, ${refused} refused, ${gone} abandoned; claimed within ${claim} (p99 of the last 10 s)`;
}

/** Returns the progress of the latest load in words. */
export function loadText({ load }: Pick<OperatorView, 'load'>): string {
  if (load === undefined) return '';
  const { sent, perSecond, seconds, answers, isRunning } = load;
  const told = Object.entries(answers).map(
    ([status, times]) => `${times} × ${status === '0' ? 'no answer' : `HTTP ${status}`}`,
  );
  const all = isRunning ? `${sent} of ${perSecond * seconds} sent` : `${sent} sent`;
  return [all, ...told].join(', ');
}
