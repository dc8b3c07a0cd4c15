import { lives } from '@ticketing/dispatch/testing';
import { expect, test } from 'vitest';
import {
  type DemoProcess,
  eventually,
  getFrom,
  MADRID_BARCELONA,
  runDemo,
  startDemo,
} from './demo.ts';
import { pidsOf } from './processes.ts';

function startCluster(...argv: string[]): Promise<DemoProcess> {
  return startDemo(['--accept', 'cluster', ...argv]);
}

test('/config names every process, /stats has the counters of each', async () => {
  const demo = await startCluster('--workers', '2', '--dispatch', 'fork', '--latency', '0');
  const { body: config } = await getFrom(`${demo.url}/config`);
  const roles = config.processes.map(({ role }: { role: string }) => role).sort();
  expect(roles).toEqual(['primary', 'server', 'server', 'task', 'task']);
  expect(config).toMatchObject({ accept: 'cluster', workers: 2, dispatchWorkers: 1 });
  expect(pidsOf(config, 'primary')).toEqual([demo.child.pid]);
  await getFrom(demo.url + MADRID_BARCELONA);
  const { body } = await getFrom(`${demo.url}/stats`);
  expect(body.processes).toHaveLength(3);
  const [primary, ...servers] = body.processes;
  expect(primary).toMatchObject({ role: 'primary', cluster: { state: 'ready' } });
  const searched = servers.map(({ search }: { search: { complete: number } }) => search.complete);
  expect(searched.sort()).toEqual([0, 1]);
});

test('SIGKILL of the primary: every process ends', async () => {
  const demo = await startCluster('--workers', '2', '--dispatch', 'fork');
  const { body: config } = await getFrom(`${demo.url}/config`);
  const pids = ['server', 'task'].flatMap((role) => pidsOf(config, role));
  expect(pids).toHaveLength(4);
  // One of them is busy.
  const busy = fetch(`${demo.url}/compute?ms=10000`).then(
    (answer) => answer.text().catch(() => {}),
    () => {},
  );
  demo.child.kill('SIGKILL');
  await demo.exit();
  await eventually(() => expect(pids.filter(lives)).toEqual([]));
  await busy;
});

test('serving processes that throw at boot: started a bounded number of times, then why, and exit code 1', async () => {
  const preload = new URL('fails-at-boot.mjs', import.meta.url).href;
  const argv = ['--port', '0', '--accept', 'cluster', '--workers', '2'];
  const { code, stderr } = await runDemo(argv, { NODE_OPTIONS: `--import=${preload}` });
  expect(code).toBe(1);
  expect(stderr).toContain('no luck today');
  // Five failures are borne, and the sixth is the last; two may be under way at once.
  const starts = stderr.match(/^Serving process \d+ ended/gm)?.length ?? 0;
  expect(starts).toBeGreaterThanOrEqual(6);
  expect(starts).toBeLessThanOrEqual(8);
});
