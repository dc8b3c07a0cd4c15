import { createCoalescer } from '@ticketing/batching';
import { shareLoads } from '@ticketing/batching/shared';
import { createRedisCoordinator } from '@ticketing/batching-redis';
import { Redis } from 'iovalkey';
import type { Call, ServingHostGiven } from './messages.ts';

export type Work = { host: string };
type Load = (key: string, context: { signal: AbortSignal }) => Promise<Work>;

/** Returns a function that asks for hot keys: serving hosts share loads by leases of Redis, and keep loaded values for a moment. */
export function askRedis(
  { loads, timeoutMs }: ServingHostGiven,
  load: Load,
): (asked: { readonly number: number }) => Promise<Partial<Call>> {
  const { keys = 1, redis = '', ttlMs = 0 } = loads ?? {};
  const client = new Redis(redis, { maxRetriesPerRequest: 0 });
  // The coordinator goes on without it.
  client.on('error', () => {});
  const coordinator = createRedisCoordinator({ client });
  const shared = createCoalescer(shareLoads(load, { coordinator, name: 'proof', ttlMs }), {
    name: 'shared',
  });
  return async ({ number }) => {
    const key = `key-${number % keys}`;
    const value = await shared.get(key, { signal: AbortSignal.timeout(timeoutMs) });
    return { ...value, key };
  };
}
