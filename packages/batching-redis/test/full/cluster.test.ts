import { once } from 'node:events';
import type { Coordinator, CoordinatorOptions } from '@ticketing/batching/shared';
import { coordinatorCases } from '@ticketing/batching/shared/conformance';
import {
  type EngineServer,
  engineProgram,
  freePort,
  startRedisServer,
  until,
} from '@ticketing/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRedisCoordinator } from '../../src/index.ts';
import { CLIENT_NAMES, CLIENTS, CLUSTERS, type TestClient } from '../clients.ts';
import { startWaves } from './waves.ts';

const SLOTS = 16_384;
const MASTERS = 3;

/** Three masters, and a replica of the first. */
interface Cluster {
  readonly nodes: readonly EngineServer[];
  close(): Promise<void>;
}

async function startCluster(): Promise<Cluster> {
  const nodes: EngineServer[] = [];
  const admins: TestClient[] = [];
  for (let index = 0; index <= MASTERS; index += 1) {
    const node = await startRedisServer({
      args: [
        ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'],
        ...['--cluster-port', String(await freePort()), '--cluster-node-timeout', '2000'],
      ],
    });
    nodes.push(node);
    admins.push(CLIENTS.iovalkey(node.url));
  }
  const [first, ...others] = admins as [TestClient, ...TestClient[]];
  const share = Math.ceil(SLOTS / MASTERS);
  for (const [index, admin] of admins.slice(0, MASTERS).entries()) {
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last));
    await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  const { port } = nodes[0] as EngineServer;
  const info = String(await first.call('CONFIG', 'GET', 'cluster-port')).split(',')[1] ?? '';
  for (const other of others) await other.call('CLUSTER', 'MEET', '127.0.0.1', String(port), info);
  const knowsAll = async (admin: TestClient) =>
    String(await admin.call('CLUSTER', 'INFO')).includes(`cluster_known_nodes:${MASTERS + 1}`);
  await until(async () => (await Promise.all(admins.map(knowsAll))).every(Boolean), 'all nodes');
  const id = String(await first.call('CLUSTER', 'MYID'));
  await until(
    () =>
      (others.at(-1) as TestClient).call('CLUSTER', 'REPLICATE', id).then(
        () => true,
        () => false,
      ),
    'the replica',
  );
  const isReady = async (admin: TestClient) =>
    String(await admin.call('CLUSTER', 'INFO')).includes('cluster_state:ok');
  await until(async () => (await Promise.all(admins.map(isReady))).every(Boolean), 'the cluster');
  await until(
    async () =>
      String(await others.at(-1)?.call('INFO', 'replication')).includes('master_link_status:up'),
    'the copy of the replica',
  );
  for (const admin of admins) admin.disconnect();
  return {
    nodes,
    close: async () => {
      for (const node of nodes) await node.close();
    },
  };
}

describe.skipIf(engineProgram('redis') === undefined)('a cluster of three masters', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.close());

  describe.each(CLIENT_NAMES)('%s', (name) => {
    async function create(options: CoordinatorOptions): Promise<Coordinator> {
      const client = CLUSTERS[name]((cluster.nodes[1] as EngineServer).port);
      await once(client as never, 'ready');
      const coordinator = createRedisCoordinator({ client, ...options });
      const { close } = coordinator;
      return Object.assign(coordinator, {
        close: async () => {
          await close.call(coordinator);
          client.disconnect();
        },
      });
    }
    for (const { name: promise, run } of coordinatorCases({ create })) test(promise, run);
  });

  test('a master is killed and its replica takes over: no call fails, and loads are shared again', async () => {
    const connect = () => CLUSTERS.iovalkey((cluster.nodes[1] as EngineServer).port);
    const waves = await startWaves(connect);
    try {
      await until(() => waves.waves.length >= 5);
      await cluster.nodes[0]?.stop('SIGKILL');
      const backMs = await waves.shared();
      console.log(`cluster, a master killed: back after ${Math.round(backMs)} ms`);
      expect(backMs).toBeLessThan(60_000);
    } finally {
      await waves.stop();
    }
  });
});
