import { lives } from '@ticketing/test-kit';
import { describe, expect, test } from 'vitest';
import { eventually, getFrom, MADRID_BARCELONA, sharedProcess } from './demo.ts';
import { pidsOf } from './processes.ts';

// Both tests have one server, which does not outlive the second.
describe('--accept cluster --dispatch fork', { shuffle: false }, () => {
  const shared = sharedProcess(
    ...['--accept', 'cluster', '--workers', '2', '--dispatch', 'fork', '--latency', '0'],
  );

  test('/config names every process, /stats has the counters of each', async () => {
    const demo = shared();
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
    const demo = shared();
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
});
