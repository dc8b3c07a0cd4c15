import { once } from 'node:events';
import { type Coalescer, createCoalescer } from '@ticketing/batching';
import {
  type Coordinator,
  type SharedLoader,
  type ShareLoadsOptions,
  shareLoads,
} from '@ticketing/batching/shared';
import { Redis as IoRedis, Cluster as IoRedisCluster } from 'ioredis';
import { Redis as IoValkey, Cluster as IoValkeyCluster } from 'iovalkey';
import {
  createRedisCoordinator,
  type RedisCoordinatorOptions,
  type StandaloneClient,
} from '../src/index.ts';

/** A client, as the tests use it besides. */
export type TestClient = StandaloneClient & Pick<IoValkey, 'call' | 'keys' | 'disconnect'>;

/** Every client that is tested. They report errors by an event, which must have a listener. */
export const CLIENTS = {
  iovalkey: (url: string, options: object = {}): TestClient =>
    new IoValkey(url, options).on('error', () => {}),
  ioredis: (url: string, options: object = {}): TestClient =>
    new IoRedis(url, options).on('error', () => {}) as unknown as TestClient,
};

/** Clients of a cluster, by one of its ports. ioredis listens at the nodes of a key, iovalkey at any. */
export const CLUSTERS: Record<ClientName, (port: number) => TestClient> = {
  iovalkey: (port) =>
    new IoValkeyCluster([{ port }], { slotsRefreshTimeout: 5000 }).on(
      'error',
      () => {},
    ) as unknown as TestClient,
  ioredis: (port) =>
    new IoRedisCluster([{ port }], { slotsRefreshTimeout: 5000, shardedSubscribers: true }).on(
      'error',
      () => {},
    ) as unknown as TestClient,
};

/** Clients that sentinels tell which server is the master, by the port of one of them. */
export const BY_SENTINEL: Record<ClientName, (port: number) => TestClient> = {
  iovalkey: (port) => new IoValkey(mainBy(port)).on('error', () => {}),
  ioredis: (port) => new IoRedis(mainBy(port)).on('error', () => {}) as unknown as TestClient,
};

const mainBy = (port: number) => ({ name: 'main', sentinels: [{ host: '127.0.0.1', port }] });

export type ClientName = keyof typeof CLIENTS;
export const CLIENT_NAMES = Object.keys(CLIENTS) as ClientName[];

/** One of several processes that share what they load: here they are in one, with a connection each. */
export interface Member extends AsyncDisposable {
  readonly client: TestClient;
  readonly coordinator: Coordinator;
  readonly load: SharedLoader<string, string>;
  readonly values: Coalescer<string, string>;
}

type Load = (key: string, context: { readonly signal: AbortSignal }) => Promise<string>;

/** A machine may be busy: commands of most tests must not count as failed. */
const PATIENT_MS = 10_000;

/** Connects a member. `load` runs for it alone. */
export async function join(
  connect: () => TestClient,
  load: Load,
  {
    coordinating = {},
    ...options
  }: Partial<ShareLoadsOptions<string, string>> & {
    readonly coordinating?: Partial<RedisCoordinatorOptions>;
  } = {},
): Promise<Member> {
  const client = connect();
  await once(client as never, 'ready');
  const coordinator = createRedisCoordinator({
    client,
    commandTimeoutMs: PATIENT_MS,
    ...coordinating,
  });
  const shared = shareLoads(load, { coordinator, name: 'test', ...options });
  const values = createCoalescer(shared, { name: 'test' });
  return {
    client,
    coordinator,
    load: shared,
    values,
    async [Symbol.asyncDispose]() {
      await values.close();
      await coordinator.close();
      client.disconnect();
    },
  };
}

export function deferred(): { promise: Promise<string>; resolve(value: string): void } {
  let resolve = (_: string): void => {};
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
