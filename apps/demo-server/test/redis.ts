import { type EngineServer, engineProgram, startRedisServer } from '@ticketing/test-kit';
import { afterAll, beforeAll, test } from 'vitest';

/** Whether redis-server or valkey-server is there; without one nothing that needs it is tested, which one line says. */
export const hasRedis = engineProgram('redis') !== undefined;

export const testWithRedis = test.skipIf(!hasRedis);

/** One server for all tests of a file or group. */
export function sharedRedis(): () => EngineServer {
  let server: EngineServer;
  beforeAll(async () => {
    if (hasRedis) server = await startRedisServer();
  });
  afterAll(() => server?.close());
  return () => server;
}
