import { once } from 'node:events';
import type { Coordinator, CoordinatorOptions } from '@ticketing/batching/shared';
import { coordinatorCases } from '@ticketing/batching/shared/conformance';
import { engineUrl } from '@ticketing/test-kit';
import { Redis as IoRedis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';
import { describe, test } from 'vitest';
import { createRedisCoordinator } from '../src/index.ts';

const url = engineUrl('redis');

describe.skipIf(url === undefined).each([
  ['iovalkey', (at: string) => new IoValkey(at)],
  ['ioredis', (at: string) => new IoRedis(at)],
] as const)('%s', (_, connect) => {
  async function create(options: CoordinatorOptions): Promise<Coordinator> {
    const client = connect(url as string);
    const coordinator = createRedisCoordinator({ client, ...options });
    const { close } = coordinator;
    await once(client, 'ready');
    return Object.assign(coordinator, {
      close: async () => {
        await close.call(coordinator);
        client.disconnect();
      },
    });
  }
  for (const { name, run } of coordinatorCases({ create })) test.concurrent(name, run);
});
