import {
  type Coordinator,
  type CoordinatorOptions,
  createCoordinator,
} from '@ticketing/batching/shared';
import { type Filled, type Rule, required, resolveByRules, withMethods } from '@ticketing/kit';
import type { RedisClient, ScriptingClient, StandaloneClient } from './redis-client.ts';
import { createRedisStore } from './redis-store.ts';

/** Options of `createRedisCoordinator`. */
export interface RedisCoordinatorOptions extends CoordinatorOptions {
  /** `Redis` or `Cluster` of iovalkey or ioredis, connected; it stays open. A standalone client is duplicated, to subscribe. */
  readonly client: StandaloneClient | (RedisClient & { readonly isCluster: true | boolean });
  /** Begins every key and channel: 1 to 50 characters without spaces and braces. Default `tt`. */
  readonly prefix?: string | undefined;
}

const aPrefix: Rule = {
  expected: '1 to 50 characters without spaces and braces',
  fallback: 'tt',
  test: (value) => typeof value === 'string' && /^[^\s{}]{1,50}$/.test(value),
};

const passedOn: Rule = { expected: 'as of createCoordinator', test: () => true };
const rules = {
  client: required(
    withMethods('evalshaBuffer', 'evalBuffer', 'subscribe', 'duplicate', 'on', 'off'),
  ),
  prefix: aPrefix,
  name: { ...passedOn, fallback: 'redis' },
  commandTimeoutMs: passedOn,
  downMs: passedOn,
  clock: passedOn,
  random: passedOn,
} satisfies Record<keyof RedisCoordinatorOptions, Rule>;

/**
 * Returns a coordinator over Redis 6.2 or newer, or Valkey, standalone, with sentinels or as a cluster. It sends commands over
 * the given client, and opens one more connection when a caller first waits. A lease is no lock: a failover to a replica that
 * lags may let two processes load the same key.
 *
 * @throws TypeError or RangeError for options that are unknown or out of range
 * @example
 * const coordinator = createRedisCoordinator({ client: new Redis('redis://127.0.0.1') });
 */
export function createRedisCoordinator(options: RedisCoordinatorOptions): Coordinator {
  const { client, prefix, ...rest } = resolveByRules<Filled<RedisCoordinatorOptions>>(
    'create Redis coordinator',
    options,
    rules,
  );
  return createCoordinator(createRedisStore(client as ScriptingClient, prefix), rest);
}
