import { lives } from '@ticketing/dispatch/testing';
import { describe, expect, test, vi } from 'vitest';
import { getFrom, MADRID_BARCELONA, requestsAt, startDemo } from './demo.ts';
import { pidsOf } from './processes.ts';

vi.setConfig({ testTimeout: 30_000 });

async function serversOf(url: string): Promise<number[]> {
  return pidsOf((await getFrom(`${url}/config`)).body, 'server');
}

describe.each(['cluster', 'socket', 'passthru'])('--accept %s', (accept) => {
  const start = (...argv: string[]) => startDemo(['--accept', accept, '--workers', '2', ...argv]);

  test('SIGHUP replaces the processes that serve, and no request fails', async () => {
    const demo = await start('--latency', '5');
    const before = await serversOf(demo.url);
    let isOver = false;
    const outcomes = new Set<number | string>();
    const clients = Array.from({ length: 10 }, async (_, client) => {
      while (!isOver) {
        const path = `${MADRID_BARCELONA}&passengers=${1 + (client % 9)}`;
        const outcome = await getFrom(demo.url + path).then(
          ({ status }) => status,
          (error) => String(error.cause ?? error),
        );
        outcomes.add(outcome);
      }
    });
    demo.child.kill('SIGHUP');
    await vi.waitFor(async () => {
      const now = await serversOf(demo.url);
      expect(now).toHaveLength(2);
      expect(now.filter((pid) => before.includes(pid))).toEqual([]);
      expect(before.filter(lives)).toEqual([]);
    }, 20_000);
    isOver = true;
    await Promise.all(clients);
    expect([...outcomes]).toEqual([200]);
  });

  test('a process that is killed is replaced, told of, and a client that asks again loses nothing', async () => {
    const demo = await start('--latency', '20', '--dispatch', 'cluster');
    const [victim = 0] = await serversOf(demo.url);
    process.kill(victim, 'SIGKILL');
    // A connection on its way to it as it ended has no answer: node:cluster forgets it. A proxied request is a 502.
    await vi.waitFor(async () => {
      const signal = AbortSignal.timeout(2000);
      const { status, body } = await getFrom(demo.url + MADRID_BARCELONA, { signal });
      expect([status, body.complete]).toEqual([200, true]);
    }, 10_000);
    await vi.waitFor(async () => {
      const now = await serversOf(demo.url);
      expect(now).toHaveLength(2);
      expect(now).not.toContain(victim);
    }, 10_000);
    expect(demo.errors()).toContain(`Serving process ${victim} ended (SIGKILL)`);
  });
});

test.each([
  ['cluster', 'in-process'],
  ['cluster', 'fork'],
  ['cluster', 'cluster'],
  ['socket', 'cluster'],
  ['passthru', 'cluster'],
])(
  'SIGTERM, --accept %s --dispatch %s: what is in flight is answered, then nothing is left',
  async (accept, dispatch) => {
    const ways = ['--accept', accept, '--dispatch', dispatch, '--coalesce', 'machine'];
    const demo = await startDemo([...ways, '--workers', '2', '--latency', '300']);
    const { body: config } = await getFrom(`${demo.url}/config`);
    const pids = ['server', 'task'].flatMap((role) => pidsOf(config, role));
    const asked = getFrom(demo.url + MADRID_BARCELONA);
    await vi.waitFor(async () =>
      expect((await requestsAt(demo.carriersUrl))['renfe']?.open).toBe(1),
    );
    demo.child.kill('SIGTERM');
    const { status, body } = await asked;
    expect([status, body.complete]).toEqual([200, true]);
    expect(await demo.exit()).toBe(0);
    expect(pids.filter(lives)).toEqual([]);
  },
);
