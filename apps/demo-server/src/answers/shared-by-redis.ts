import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { canonicalKey } from '@ticketing/batching';
import {
  type SharedCodec,
  type SharedLoadsStats,
  shareLoads,
  structuredCodec,
} from '@ticketing/batching/shared';
import type { Flags } from '../flags/flag-specs.ts';
import type { CarrierRecord } from '../kept/carrier-record.ts';
import type { KeptAnswers } from '../kept/kept-answers.ts';
import { shareRecords } from '../kept/share-records.ts';
import { versions } from '../processes/versions.ts';
import type { Answers } from './answers.ts';
import { restoredError } from './restored-error.ts';
import { type Load, shared } from './shared.ts';

/** Name of the loads of kept answers of carriers, beside those of questions. */
export const KEPT_LOADS = 'carriers';

/** A process that dies while it searches delays the others by that: well below the deadline of a search. */
const LEASE_MS = 600;

/** A failure arrives with the class that it had where it was loaded: each server answers it as that one does. */
export const questionCodec: typeof structuredCodec = {
  ...structuredCodec,
  decodeError: (bytes) => restoredError(structuredCodec.decodeError(bytes)),
};

/**
 * Lets all servers with the same `--redis-url` share the answers to equal questions in flight, and what they keep of carriers; events are
 * shared in this process. The
 * driver of Redis is loaded here alone. Waits for Redis no longer than a command may take: while it is not there, each process loads
 * for itself.
 */
export async function sharedByRedis(
  own: Answers,
  { flags, kept, now }: { readonly flags: Flags; readonly kept: KeptAnswers; now(): number },
): Promise<Answers> {
  const [{ default: driver }, { createRedisCoordinator }] = await Promise.all([
    import('iovalkey'),
    import('@ticketing/batching-redis'),
  ]);
  // Without a connection no command is kept for later.
  const client = new driver.Redis(flags.redisUrl ?? '', { maxRetriesPerRequest: 0 });
  // The coordinator counts failures, and reports their reasons.
  client.on('error', () => {});
  const soon = { signal: AbortSignal.timeout(flags.redisTimeoutMs) };
  await once(client, 'ready', soon).catch(() => {});
  const coordinator = createRedisCoordinator({ client, commandTimeoutMs: flags.redisTimeoutMs });
  const loads = new Map<string, () => SharedLoadsStats>();
  const answers = shared(own, {
    share<Question, Answer>(load: Load<Question, Answer>, name: string) {
      const loader = shareLoads(load, {
        coordinator,
        name: `${name}:${digestOf(flags)}`,
        key: ({ key }) => key,
        leaseMs: LEASE_MS,
        codec: questionCodec as SharedCodec<Answer>,
      });
      loads.set(name, loader.stats);
      return loader;
    },
  });
  const records = shareRecords(kept, {
    coordinator,
    name: `${KEPT_LOADS}:${digestOf(flags)}`,
    leaseMs: LEASE_MS,
    codec: questionCodec as SharedCodec<CarrierRecord>,
    now,
  });
  if (records !== undefined) loads.set(KEPT_LOADS, records.stats);
  return {
    ...answers,
    stats: () => ({
      ...answers.stats(),
      shared: {
        coordinator: coordinator.stats(),
        loads: Object.fromEntries([...loads].map(([name, stats]) => [name, stats()])),
      },
    }),
    async close() {
      await coordinator.close();
      client.disconnect();
      await answers.close();
    },
  };
}

/** Returns a digest that servers have in common if they give equal answers to equal questions: of one version, with the same carriers and documents. */
function digestOf({ fleet, carriers, carriersUrl, worms, databaseUrl }: Flags): string {
  const text = canonicalKey(versions.ticketing, fleet, carriers, carriersUrl, worms, databaseUrl);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
