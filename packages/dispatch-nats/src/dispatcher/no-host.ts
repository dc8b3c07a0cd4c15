import { DispatchError } from '@ticketing/dispatch';
import type { KnownHost } from '../fleet/fleet.ts';
import type { NatsLink } from '../link/nats-link.ts';

/** Facts of a dispatcher for its errors. */
interface Named {
  readonly name: string;
  readonly fleet: string;
  readonly tasks: readonly string[];
}

/** State of the connection and the sessions. */
interface Circumstances extends Pick<NatsLink, 'state' | 'lastError'> {
  /** Ids of the hosts that already have a session. */
  readonly taken: ReadonlySet<string>;
}

/** Returns the error of a dispatcher that has no host for a worker, with the reason. */
export function noHost(
  { name, fleet, tasks }: Named,
  known: readonly KnownHost[],
  { state, lastError, taken }: Circumstances,
): DispatchError {
  const free = known.length === 0 ? '' : 'free ';
  const having =
    tasks.length === 0 ? '' : ` that has ${tasks.map((task) => `\`${task}\``).join(', ')}`;
  const why = state === 'connected' ? countByReason(known, taken) : `NATS is ${state}`;
  const message = `Fleet \`${fleet}\` has no ${free}host${having}${why && `: ${why}`}`;
  return new DispatchError('ERR_NO_HOST', message, {
    data: { name },
    ...(lastError !== undefined && { cause: lastError }),
  });
}

const reasons: Readonly<Record<string, string>> = {
  tasks: 'without them',
  protocol: 'of another version',
  v8: 'of another Node.js',
};

/** Returns the number of hosts passed over for each reason, as a text; '' without known hosts. */
function countByReason(known: readonly KnownHost[], taken: ReadonlySet<string>): string {
  const counts = new Map<string, number>();
  for (const host of known) {
    const reason = reasonOf(host, taken);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
}

function reasonOf(
  { refused, state, fullUntil, announcement: { id } }: KnownHost,
  taken: ReadonlySet<string>,
): string {
  if (refused !== undefined) return reasons[refused] ?? refused;
  if (state !== 'serving') return state;
  if (fullUntil > 0) return 'full';
  return taken.has(id) ? 'in use' : 'not answering';
}
