import type { KnownHost } from '../fleet/fleet.ts';
import type { NatsWorker } from './nats-worker.ts';

/** Facts of a worker by which a host is chosen for it. */
type Placed = Pick<NatsWorker, 'slot' | 'host' | 'isReady' | 'isRetiring'>;

/**
 * Returns the best of the wanted hosts without a session of this dispatcher; for a successor without one, the host of the worker
 * before it.
 */
export function hostFor(
  worker: Placed,
  workers: Iterable<Placed>,
  wanted: readonly KnownHost[],
): KnownHost | undefined {
  const taken = new Set<string>();
  let before: string | undefined;
  for (const other of workers) {
    const id = other.host?.announcement.id;
    if (id === undefined || other === worker || other.isRetiring) continue;
    if (other.slot === worker.slot && other.isReady) before = id;
    else taken.add(id);
  }
  const free = wanted.filter(({ announcement: { id } }) => !taken.has(id));
  return free.find(({ announcement: { id } }) => id !== before) ?? free[0];
}

/** Returns a worker whose host is no longer wanted, while a wanted host has no session, and every worker has a host. */
export function surplusOf<W extends Placed>(
  workers: Iterable<W>,
  wanted: readonly KnownHost[],
): W | undefined {
  const unused = new Set(wanted.map(({ announcement: { id } }) => id));
  let surplus: W | undefined;
  for (const worker of workers) {
    if (worker.isRetiring) continue;
    const { host } = worker;
    // A session that waits, or is being opened, comes first.
    if (host === undefined || !worker.isReady) return undefined;
    if (!unused.delete(host.announcement.id)) surplus = worker;
  }
  return unused.size > 0 ? surplus : undefined;
}
