import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { isFullScale } from '@ticketing/test-kit';
import { describe, expect, test } from 'vitest';
import {
  type DemoProcess,
  eventually,
  exchange,
  getFrom,
  MADRID_BARCELONA,
  requestsAt,
  sharedProcess,
  startDemo,
} from '../demo.ts';
import { pidsOf } from '../processes.ts';

const EQUAL = [
  MADRID_BARCELONA,
  '/search?destination=uic:7171801&passengers=1&origin=7160000&order=departure',
];

/** Asks over a connection of its own, unless an agent keeps them; gives the pid that answered. */
function workerOf(url: string, options: http.RequestOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent: false, ...options }, (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.headers['x-worker'])));
      })
      .once('error', reject);
  });
}

async function routerOf({ url }: DemoProcess) {
  return (await getFrom(`${url}/stats`)).body.processes[0].router;
}
/** Proves what the router does. The tests share one server, in this order: the first counts what reaches the carriers. */
function testRouter(accept: string, workers: number): void {
  describe(`--accept ${accept}`, { shuffle: false }, () => {
    const shared = sharedProcess(
      ...['--accept', accept, '--workers', String(workers), '--latency', '100'],
      ...['--deadline-ms', '60000'],
    );

    test(`equal searches reach one process, and are one upstream`, async () => {
      const { url, carriersUrl } = shared();
      const workers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => workerOf(url + EQUAL[index % 2])),
      );
      expect(new Set(workers).size).toBe(1);
      const { renfe } = await requestsAt(carriersUrl);
      expect(renfe?.mostOpen).toBe(1);
    });

    test(`on a connection that is kept each search reaches the process of its key`, async () => {
      const { url } = shared();
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const paths = ['', '2', '3', '4', '5', '6', '7', '8'].map(
        (day) => `${MADRID_BARCELONA}${day && `&date=2030-01-0${day}`}`,
      );
      const alone = new Map<string, string>();
      for (const path of paths) alone.set(path, await workerOf(url + path));
      expect(new Set(alone.values()).size).toBeGreaterThan(1);
      const kept = new Map<string, string>();
      for (const path of paths) kept.set(path, await workerOf(url + path, { agent }));
      agent.destroy();
      expect(kept).toEqual(alone);
    });

    test(`a body arrives whole`, async () => {
      const { url } = shared();
      const sent = randomBytes(3_000_000);
      const md5 = createHash('md5').update(sent).digest('hex');
      const { status, body } = await getFrom(`${url}/sink?hash=md5`, {
        method: 'POST',
        body: sent,
      });
      expect([status, body]).toEqual([200, { bytes: 3_000_000, md5 }]);
    });

    test(`/config and /stats know all processes and the router`, async () => {
      const demo = shared();
      const { body: config } = await getFrom(`${demo.url}/config`);
      expect(config).toMatchObject({ accept, workers, routeBy: 'search-key' });
      expect(pidsOf(config, 'primary')).toEqual([demo.child.pid]);
      expect(pidsOf(config, 'server')).toHaveLength(workers);
      expect(await routerOf(demo)).toMatchObject({ state: 'listening', refused: 0 });
    });

    test(`a wrong Host or Expect is a problem, whoever answers`, async () => {
      const { url } = shared();
      const answers = await Promise.all(
        ['A: b', 'Host: a\r\nHost: b', 'Host: a\r\nExpect: 200-ok'].map((fields) =>
          exchange(url, `GET /healthz HTTP/1.1\r\n${fields}\r\nConnection: close\r\n\r\n`),
        ),
      );
      for (const [index, answer] of answers.entries()) {
        const [start = '', body = ''] = answer.split('\r\n\r\n');
        expect(start).toMatch(/^content-type: application\/problem\+json/im);
        expect(JSON.parse(body)).toMatchObject({ status: [400, 400, 417][index] });
      }
    });
  });
}

/** Proves that keys outlive their process, with a server of its own. */
function testSuccessor(accept: string): void {
  test(`--accept ${accept}: keys of a process that is killed find its successor`, async () => {
    const demo = await startDemo(['--accept', accept, '--workers', '3', '--latency', '100']);
    const url = demo.url + MADRID_BARCELONA;
    const before = pidsOf((await getFrom(`${demo.url}/config`)).body, 'server');
    process.kill(Number(await workerOf(url)), 'SIGKILL');
    await eventually(async () => {
      const successor = Number(await workerOf(url));
      expect(successor).toBeGreaterThan(0);
      expect(before).not.toContain(successor);
    });
  });
}

if (isFullScale()) {
  testRouter('socket', 3);
  testRouter('passthru', 3);
  testSuccessor('socket');
  testSuccessor('passthru');
} else {
  testRouter('passthru', 2);
}

describe.runIf(isFullScale()).each(['socket', 'passthru'])('--accept %s', (accept) => {
  const start = (...argv: string[]) => startDemo(['--accept', accept, ...argv]);

  test('--route-by header:x-user: equal users reach one process', async () => {
    const { url } = await start('--workers', '4', '--route-by', 'header:x-user');
    const users = Array.from({ length: 24 }, (_, index) => `user-${index % 8}`);
    const byUser = new Map<string, Set<string>>();
    for (const user of users) {
      const worker = await workerOf(`${url}/compute`, { headers: { 'x-user': user } });
      byUser.set(user, (byUser.get(user) ?? new Set()).add(worker));
    }
    expect([...byUser.values()].map(({ size }) => size)).toEqual(Array(8).fill(1));
    expect(new Set([...byUser.values()].flatMap((set) => [...set])).size).toBeGreaterThan(1);
  });

  test('--route-by none: connections are spread', async () => {
    const { url } = await start('--workers', '2', '--route-by', 'none', '--latency', '100');
    const workers = await Promise.all(
      Array.from({ length: 20 }, () => workerOf(`${url}${MADRID_BARCELONA}`)),
    );
    expect(new Set(workers).size).toBe(2);
  });
});
