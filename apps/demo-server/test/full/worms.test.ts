import { readdirSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { worms } from '../../src/worms/worm.ts';
import {
  endOf,
  eventually,
  getFrom,
  runDemo,
  serveDemo,
  spawnDemo,
  startDemo,
  statsOf,
  temporaryFolder,
} from '../demo.ts';

const UTILIZE = '/api/v1/worms/utilize';
/** No document is of this class, so all are looked at. */
const UNKNOWN = '/api/v1/worms/unknown';

const firstTen = (count: number) =>
  [...worms(1, count)].filter((worm) => worm.class === 'utilize').slice(0, 10);

test('the first ten documents of a class, in the order of insertion', async () => {
  const { get } = await serveDemo('--worms', '20000');
  const { status, type, headers, body } = await get(UTILIZE);
  expect({ status, type }).toEqual({ status: 200, type: 'application/json' });
  expect(body).toEqual(firstTen(20_000));
  expect(body).toHaveLength(10);
  expect(Number(headers.get('content-length'))).toBeLessThan(1300);
  expect(headers.get('server-timing')).toMatch(/^worms;dur=[\d.]+, total;dur=[\d.]+$/);
});

test('equal classes in flight are one query, and /stats counts it', async () => {
  const { get } = await serveDemo('--worms', '300000', '--deadline-ms', '20000');
  const answers = await Promise.all(Array.from({ length: 300 }, () => get(UNKNOWN)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const [{ worms: stats }] = await statsOf({ get });
  expect(stats).toMatchObject({ kind: 'sqlite', running: 0, errors: 0 });
  expect(stats.coalesce).toMatchObject({ name: 'worms', asked: 300, inFlight: 0 });
  expect(stats.coalesce.joined).toBeGreaterThan(200);
  expect(stats.queries).toBe(stats.coalesce.loaded);
  expect(stats.ms).toMatchObject({ count: stats.queries });
  expect(stats.ms.p50).toBeGreaterThan(0);
});

test('--coalesce off asks the store every time', async () => {
  const { get } = await serveDemo('--worms', '1000', '--coalesce', 'off');
  await Promise.all([1, 2, 3].map(() => get(UTILIZE)));
  const [{ worms: stats }] = await statsOf({ get });
  expect(stats).toMatchObject({ queries: 3 });
  expect(stats).not.toHaveProperty('coalesce');
});

test('a scan that is longer than the deadline is 504, and the next one is answered', async () => {
  const { get } = await serveDemo('--worms', '1000000', '--deadline-ms', '20');
  // On a busy machine the deadline may have passed before the scan begins: that is 503.
  await eventually(async () => {
    const { status, type, body } = await get(UNKNOWN);
    expect({ status, type }).toEqual({ status: 504, type: 'application/problem+json' });
    expect(body).toMatchObject({
      type: 'urn:ticketing:problem:database-did-not-answer-in-time',
      code: 'ERR_DATABASE_TIMEOUT',
      detail: expect.stringMatching(
        /^Cannot find worms: the database did not answer within \d+ ms$/,
      ),
    });
  });
  await eventually(async () => expect((await get(UTILIZE)).status).toBe(200));
  const [{ worms: stats }] = await statsOf({ get });
  expect(stats.running).toBe(0);
  expect(stats.errors).toBeGreaterThan(0);
  // The thread has seen the abort and was not ended for it.
  expect(stats.driver).toMatchObject({ lost: 0, killed: 0 });
});

test('a client that leaves ends its scan', async () => {
  const { get, url } = await serveDemo('--worms', '1000000');
  const controller = new AbortController();
  const left = fetch(url + UNKNOWN, { signal: controller.signal }).catch(() => 'left');
  await eventually(async () => expect((await statsOf({ get }))[0].worms.running).toBe(1), {
    interval: 1,
  });
  controller.abort();
  expect(await left).toBe('left');
  await eventually(async () => {
    const [{ worms: stats }] = await statsOf({ get });
    expect(stats).toMatchObject({ running: 0, errors: 0, coalesce: { aborted: 1 } });
    expect(stats.driver).toMatchObject({ running: 0, aborted: 1, lost: 0, killed: 0 });
  });
});

test.each(['cluster', 'socket', 'passthru'])(
  '--accept %s: all processes have one store, filled once; SIGTERM leaves no file',
  async (accept) => {
    const TMPDIR = temporaryFolder();
    const argv = ['--accept', accept, '--workers', '3', '--worms', '2000', '--route-by', 'none'];
    const demo = await startDemo(accept === 'cluster' ? argv.slice(0, -2) : argv, { TMPDIR });
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith('ticketing-demo-'))).toHaveLength(
      1,
    );
    const workers = new Set<string | null>();
    await eventually(async () => {
      const { headers, body } = await getFrom(demo.url + UTILIZE, {
        headers: { connection: 'close' },
      });
      expect(body).toEqual(firstTen(2000));
      expect(workers.add(headers.get('x-worker')).size).toBeGreaterThan(1);
    });
    demo.child.kill('SIGTERM');
    expect(await demo.exit()).toBe(0);
    expect(demo.errors()).toBe('');
    expect(readdirSync(TMPDIR)).toEqual([]);
  },
);

test('--coalesce machine: equal classes of four processes are one query', async () => {
  const { url } = await startDemo([
    ...['--accept', 'cluster', '--workers', '4', '--coalesce', 'machine'],
    ...['--worms', '300000', '--deadline-ms', '20000'],
  ]);
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => getFrom(url + UNKNOWN, { headers: { connection: 'close' } })),
  );
  expect(new Set(answers.map(({ headers }) => headers.get('x-worker'))).size).toBe(4);
  expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [200, []]));
  const { processes } = (await getFrom(`${url}/stats`)).body;
  const [primary, ...servers] = processes.map(({ worms: stats }: { worms: unknown }) => stats);
  const sum = (of: (stats: { queries: number; coalesce: { loaded: number } }) => number): number =>
    servers.map(of).reduce((all: number, one: number) => all + one);
  // Each server asks the primary once at a time, the primary one server for all of them.
  expect(primary.coalesce.asked).toBe(sum(({ coalesce }) => coalesce.loaded));
  expect(sum(({ queries }) => queries)).toBe(primary.coalesce.loaded);
  expect(primary.coalesce.joined).toBeGreaterThan(0);
});

test.each(['socket', 'passthru'])(
  '--accept %s: equal classes reach one process',
  async (accept) => {
    const { url } = await startDemo(['--accept', accept, '--workers', '4', '--worms', '100']);
    const workersOf = async (word: string): Promise<Set<string | null>> => {
      const close = { headers: { connection: 'close' } };
      const path = `${url}/api/v1/worms/${word}`;
      const answers = await Promise.all([1, 2, 3, 4].map(() => getFrom(path, close)));
      return new Set(answers.map(({ headers }) => headers.get('x-worker')));
    };
    const words = ['utilize', 'adapt', 'bridge', 'cache', 'deploy', 'engage', 'focus', 'grow'];
    const byWord = await Promise.all(words.map(workersOf));
    expect(byWord.map(({ size }) => size)).toEqual(words.map(() => 1));
    expect(new Set(byWord.flatMap((workers) => [...workers])).size).toBeGreaterThan(1);
  },
);

test('SIGTERM while the store is filled: exit code 0, and no file is left', async () => {
  const TMPDIR = temporaryFolder();
  const child = spawnDemo(['--port', '0', '--worms', '10000000'], { TMPDIR });
  const end = endOf(child);
  await eventually(() => expect(readdirSync(TMPDIR, { recursive: true })).toHaveLength(2));
  child.kill('SIGTERM');
  const { code, stderr, stdout } = await end;
  expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: '' });
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test('a start that fails leaves no file', async () => {
  const TMPDIR = temporaryFolder();
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await eventually(() => expect(server.listening).toBe(true));
  const { port } = server.address() as { port: number };
  const { code } = await runDemo(['--port', String(port), '--worms', '1'], { TMPDIR });
  expect(code).toBe(2);
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test('a file that cannot be read is 502', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { get } = await serveDemo('--worms', '100');
  const [made = ''] = readdirSync(folder);
  truncateSync(join(folder, made, 'worms.sqlite'), 8192);
  const { status, body } = await get(UNKNOWN);
  expect(status).toBe(502);
  expect(body).toMatchObject({ title: 'Database failed', code: 'ERR_DATABASE_FAILED' });
  expect((await statsOf({ get }))[0].worms.errors).toBe(1);
});

test('a Node without node:sqlite: one clear line and exit code 2', async () => {
  const { code, stderr, stdout } = await runDemo(['--worms', '1'], {
    NODE_OPTIONS: '--no-experimental-sqlite',
  });
  expect(stderr).toBe(
    `Cannot start: without --database-url Node must be 22.13 or later, which has node:sqlite, got ${process.version}\n`,
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});
