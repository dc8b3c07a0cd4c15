import { once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ServingWorker, Supervisor } from '../../src/index.ts';
import { ask, checkClustersAfterEach, start } from '../cluster-fixture.ts';

checkClustersAfterEach();
vi.setConfig({ testTimeout: 120_000 });

const entry = new URL('../fixtures/attached-worker.ts', import.meta.url);

/** Accepts here, and gives each connection to the latest worker of a supervisor. */
async function route(supervisor: Supervisor) {
  const told: ServingWorker[] = [];
  const unsubscribe = supervisor.subscribe((worker) => told.push(worker));
  const front = net.createServer({ pauseOnConnect: true }, (socket) => {
    told.at(-1)?.channel.send('socket', socket);
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void front.close());
  const { port } = front.address() as net.AddressInfo;
  return { told, unsubscribe, url: `http://127.0.0.1:${port}` };
}

test('subscribe() reports the workers that serve and their successors, until it is ended', async () => {
  const supervisor = start({ entry, connections: 'external', workers: 2 });
  const early: string[] = [];
  supervisor.subscribe(({ slot, attached }) => early.push(`${slot}${attached}`));
  await supervisor.ready();
  expect(supervisor.connections).toBe('external');
  expect(early.sort()).toEqual(['0true', '1true']);
  const { told, unsubscribe, url } = await route(supervisor);
  expect(told.map(({ slot }) => slot)).toEqual(['0', '1']);
  expect(await ask(`${url}/0`)).toMatchObject({ pid: told.at(-1)?.pid });
  await supervisor.reload();
  expect(told.map(({ slot }) => slot).slice(2)).toEqual(['0', '1']);
  expect(await ask(`${url}/0`)).toMatchObject({ pid: told.at(-1)?.pid });
  unsubscribe();
  await supervisor.scale(3);
  expect(told).toHaveLength(4);
});

/** Times that the attachments of workers have to close: `graceMs` and `lameDuckMs`. */
function endsOf(told: readonly ServingWorker[]) {
  const ends: number[][] = [];
  for (const { channel } of told) {
    channel.on('message', (message) => {
      const [, graceMs, lameDuckMs] =
        /^closing within (\S+) ms, (\S+)$/.exec(String(message)) ?? [];
      if (graceMs !== undefined) ends.push([Number(graceMs), Number(lameDuckMs)]);
    });
  }
  return ends;
}

test('close() leaves external connections to the attachment', async () => {
  const supervisor = start({ entry, connections: 'external' });
  await supervisor.ready();
  const { told, url } = await route(supervisor);
  const slow = ask(`${url}/1500`);
  await vi.waitFor(() => expect(supervisor.workers[0]?.inFlight).toBe(1), 60_000);
  const ends = endsOf(told);
  const closed = supervisor.close({ graceMs: 1_000_000 });
  expect(await slow).toMatchObject({ status: 200 });
  await closed;
  // Nearly all of the time: half a second is for what follows.
  expect(ends).toEqual([[expect.toSatisfy((ms) => ms > 900_000 && ms <= 999_500), 300]]);
});

test.each([
  [{}, [7500, 2000]],
  [{ graceMs: 1000 }, [500, 500]],
  [{ lameDuckMs: 6000, graceMs: 6000 }, [5500, 5500]],
  [{ lameDuckMs: 0 }, [7500, 0]],
])(
  'shutdown %j leaves the attachment %j ms: graceMs includes the lame duck and what follows',
  async (shutdown, end) => {
    const supervisor = start({ entry, connections: 'external', shutdown });
    await supervisor.ready();
    const { told } = await route(supervisor);
    const ends = endsOf(told);
    const exited = once(supervisor.events, 'worker-exit');
    await supervisor.reload();
    await exited;
    expect(ends).toEqual([end]);
  },
);

test('close({ graceMs }) below that of the options shortens the lame duck as well', async () => {
  const shutdown = { lameDuckMs: 500_000, graceMs: 1_000_000 };
  const supervisor = start({ entry, connections: 'external', shutdown });
  await supervisor.ready();
  const { told } = await route(supervisor);
  const ends = endsOf(told);
  await supervisor.close({ graceMs: 10_000 });
  const [graceMs = Number.NaN, lameDuckMs = Number.NaN] = ends[0] ?? [];
  expect(graceMs).toBeLessThanOrEqual(9500);
  expect(lameDuckMs).toBeLessThanOrEqual(5000);
  expect(lameDuckMs).toBeGreaterThan(0);
});

test('replace() starts a successor for a worker that takes no connection, and then kills that worker', async () => {
  const supervisor = start({
    entry,
    connections: 'external',
    heartbeatMs: 60_000,
    shutdown: { lameDuckMs: 0, graceMs: 100 },
  });
  await supervisor.ready();
  const { told, url } = await route(supervisor);
  const [before] = told;
  const exited = once(supervisor.events, 'worker-exit');
  process.kill(before?.pid ?? Number.NaN, 'SIGSTOP');
  supervisor.replace({ pid: before?.pid });
  supervisor.replace({ pid: before?.pid });
  expect(await exited).toMatchObject([{ pid: before?.pid, slot: 0, signal: 'SIGKILL' }]);
  expect(told).toMatchObject([{ slot: '0' }, { slot: '0' }]);
  expect(await ask(`${url}/0`)).toMatchObject({ pid: told[1]?.pid });
  supervisor.replace({ pid: before?.pid });
  expect(supervisor.workers).toHaveLength(1);
});

test('output: a function gets the output of the workers', async () => {
  const said = { stdout: '', stderr: '' };
  const supervisor = start({
    entry: new URL('../fixtures/saying-worker.ts', import.meta.url),
    output: (chunk, { stream, workerId }) => {
      said[stream] += `${workerId}: ${chunk}`;
    },
  });
  await supervisor.ready();
  await supervisor.close();
  expect(said.stdout).toContain('1: to output\n');
  expect(said.stderr).toContain('1: to error\n');
});
