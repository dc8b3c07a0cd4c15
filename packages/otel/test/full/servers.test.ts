import { once } from 'node:events';
import { startCluster } from '@ticketing/dispatch-cluster';
import { createSocketRouter } from '@ticketing/socket-router';
import { gone, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { libraryFamilies, writeFamilies } from '../../src/prometheus/index.ts';
import { measure, seriesOf } from '../measured.ts';

test('a router and the cluster behind it are measured as their stats() count them', {
  timeout: 120_000,
}, async () => {
  const measured = measure();
  const supervisor = startCluster({
    entry: new URL('../fixtures/cluster-worker.ts', import.meta.url),
    workers: 2,
    connections: 'external',
    execArgv: ['--conditions=@ticketing/source'],
  });
  const router = createSocketRouter({ workers: supervisor });
  onTestFinished(async () => {
    await router.close();
    await supervisor.close();
  });
  await supervisor.ready();
  const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
  await router.ready();
  const ask = async (): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
    await response.arrayBuffer();
  };
  for (let requests = 0; requests < 5; requests++) await ask();
  const [victim] = supervisor.workers;
  const replaced = once(supervisor.events, 'worker-ready');
  process.kill(victim?.pid as number, 'SIGKILL');
  await gone(victim?.pid as number, 10_000);
  await replaced;
  await router.ready();
  await ask();

  const NAMES = [
    'ticketing_router_connections_total{outcome="handed-over"}',
    'ticketing_router_claim_seconds_count',
    'ticketing_router_workers{state="ready"}',
    'ticketing_cluster_requests_total{name="cluster"}',
    'ticketing_cluster_active{name="cluster"}',
    'ticketing_cluster_connections{name="cluster"}',
    'ticketing_dispatch_workers{pool="cluster",state="ready"}',
    'ticketing_dispatch_worker_starts_total{pool="cluster"}',
    'ticketing_dispatch_worker_exits_total{pool="cluster"}',
  ];
  const counted = (): (number | undefined)[] => {
    const source = { routers: [router.stats()], clusters: [supervisor.stats()] };
    const series = seriesOf(writeFamilies(libraryFamilies, { source }).text);
    return NAMES.map((name) => series.get(name));
  };
  // Workers report their requests twice a second.
  await until(() => router.stats().handedOver === 6 && supervisor.stats().inFlight === 0);
  await until(async () => {
    const series = await measured.series();
    return NAMES.map((name) => series.get(name)).join() === counted().join();
  });
  const [handedOver, claims, ready] = counted();
  expect([handedOver, claims, ready]).toEqual([6, 6, 2]);
  expect(counted().slice(-3)).toEqual([2, 3, 1]);
});
