// Loads and kept results that processes share by Redis or Valkey

export {
  createRedisCoordinator,
  type RedisCoordinatorOptions,
} from './create-redis-coordinator.ts';
export type { RedisClient, StandaloneClient } from './redis-client.ts';
