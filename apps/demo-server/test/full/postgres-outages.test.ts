import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
// @boundaries-ignore the server is started as the whole test command is: by a script at the top of the repository
import { type PostgresServer, startPostgres } from '../../../../scripts/postgres-server.mjs';
import { eventually, getFrom, runDemo, serveDemo, startDemo, statsOf } from '../demo.ts';
import { askPostgres, backendsOf, lockWorms, noPostgres } from '../postgres.ts';

const UTILIZE = '/api/v1/worms/utilize';
const it = test.skipIf(noPostgres !== '');
let server: PostgresServer;

// A server of this file's own, since it is stopped and stalled.
beforeAll(async () => {
  if (noPostgres === '') server = await startPostgres();
});
afterAll(() => server?.close());

function serveWorms(...argv: string[]) {
  return serveDemo('--worms', '2000', '--database-url', server.url, ...argv);
}

/** A way to a database on which what it says arrives, but not that it has ended a connection. Gives the URL. */
async function withoutEnds(target: string): Promise<string> {
  const { hostname: host, port } = new URL(target);
  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    const database = connect({ host, port: Number(port) });
    database.pipe(client, { end: false });
    client.on('data', (bytes) => database.writable && database.write(bytes));
    client.on('end', () => client.end());
    client.on('close', () => database.destroy());
    for (const socket of [client, database]) socket.on('error', () => {});
    onTestFinished(() => void client.destroy());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  const there = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return Object.assign(new URL(target), { host: there }).href;
}

/** Stops processes as if they hung, until the test ends. */
function stall(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  });
}

it(`PostgreSQL hangs: 504 at the deadline, and the next question has another connection ${noPostgres}`, async () => {
  // Time enough for a new connection on a busy machine; without its deadline the question waits until the test's own limit.
  const { get } = await serveWorms('--deadline-ms', '4000');
  expect((await get(UTILIZE)).status).toBe(200);
  stall((await backendsOf(server.url)).map(({ pid }) => pid));
  const { status, body } = await get(UTILIZE);
  expect([status, body.code]).toEqual([504, 'ERR_DATABASE_TIMEOUT']);
  expect(body.title).toBe('Database did not answer in time');
  expect((await get(UTILIZE)).status).toBe(200);
  expect((await statsOf({ get }))[0].worms).toMatchObject({ queries: 3, running: 0, errors: 1 });
});

it('PostgreSQL hangs with a connection that is idle: the server stops all the same', async () => {
  const { get, close } = await serveWorms();
  expect((await get(UTILIZE)).status).toBe(200);
  stall((await backendsOf(server.url)).map(({ pid }) => pid));
  const closedAt = performance.now();
  await close();
  expect(performance.now() - closedAt).toBeLessThan(3000);
});

it.each(['SIGINT', 'SIGQUIT'] as const)(
  'PostgreSQL is stopped by %s: 502; it is back: 200',
  async (signal) => {
    const { get } = await serveWorms();
    expect((await get(UTILIZE)).status).toBe(200);
    await server.stop(signal);
    onTestFinished(() => server.start());
    const { status, body } = await get(UTILIZE);
    expect([status, body.code]).toEqual([502, 'ERR_DATABASE_UNAVAILABLE']);
    await server.start();
    expect((await get(UTILIZE)).status).toBe(200);
  },
);

it('a connection that is lost under a question is 502, and the pool has another', async () => {
  const { get } = await serveWorms('--deadline-ms', '20000');
  const lock = await lockWorms(server.url);
  const asked = get(UTILIZE);
  await eventually(async () => expect(await backendsOf(server.url)).toHaveLength(1));
  const [backend] = await backendsOf(server.url);
  await askPostgres(server.url, `SELECT pg_terminate_backend(${backend?.pid})`);
  const { status, body } = await asked;
  expect([status, body.code]).toEqual([502, 'ERR_DATABASE_UNAVAILABLE']);
  await lock.release();
  expect((await get(UTILIZE)).status).toBe(200);
});

it('a connection whose end the network has not told yet is not asked again', async () => {
  const url = await withoutEnds(server.url);
  const { get } = await serveDemo('--worms', '2000', '--database-url', url);
  const lock = await lockWorms(server.url);
  const asked = get(UTILIZE);
  await eventually(async () => expect(await backendsOf(server.url)).toHaveLength(1));
  const [backend] = await backendsOf(server.url);
  await askPostgres(server.url, `SELECT pg_terminate_backend(${backend?.pid})`);
  expect((await asked).body.code).toBe('ERR_DATABASE_UNAVAILABLE');
  await lock.release();
  expect((await get(UTILIZE)).status).toBe(200);
});

it('no connection is left for this demo: 503', async () => {
  await askPostgres(server.url, "CREATE ROLE narrow LOGIN SUPERUSER PASSWORD 'narrow'");
  const url = Object.assign(new URL(server.url), { username: 'narrow', password: 'narrow' }).href;
  const { get } = await serveDemo('--worms', '2000', '--database-url', url);
  // The limit of a role is not for superusers.
  await askPostgres(server.url, 'ALTER ROLE narrow NOSUPERUSER CONNECTION LIMIT 0');
  const { status, body } = await get(UTILIZE);
  expect([status, body.code]).toEqual([503, 'ERR_DATABASE_BUSY']);
  expect(body.title).toBe('Database too busy');
  await askPostgres(server.url, 'ALTER ROLE narrow SUPERUSER CONNECTION LIMIT -1');
  expect((await get(UTILIZE)).status).toBe(200);
});

it('a question that the database refuses is 502, and the connection stays', async () => {
  const { get } = await serveWorms();
  expect((await get(UTILIZE)).status).toBe(200);
  await askPostgres(server.url, 'ALTER TABLE ticketing_demo_worms RENAME TO elsewhere');
  const { status, body } = await get(UTILIZE);
  expect([status, body.code]).toEqual([502, 'ERR_DATABASE_FAILED']);
  await askPostgres(server.url, 'ALTER TABLE elsewhere RENAME TO ticketing_demo_worms');
  expect((await get(UTILIZE)).status).toBe(200);
  expect((await statsOf({ get }))[0].worms.driver).toEqual({ connections: 1, idle: 1, waiting: 0 });
});

it('a client that leaves ends its question in the database', async () => {
  const { get, url } = await serveWorms('--deadline-ms', '20000');
  await lockWorms(server.url);
  const controller = new AbortController();
  const left = fetch(url + UTILIZE, { signal: controller.signal }).catch(() => 'left');
  const active = async () =>
    (await backendsOf(server.url)).filter(({ state }) => state === 'active').length;
  await eventually(async () => expect(await active()).toBe(1));
  controller.abort();
  expect(await left).toBe('left');
  await eventually(async () => expect(await active()).toBe(0));
  expect((await statsOf({ get }))[0].worms).toMatchObject({ running: 0, errors: 0 });
});

it('300 clients ask for one class while PostgreSQL is busy: one query', async () => {
  const { get } = await serveWorms('--deadline-ms', '20000');
  const lock = await lockWorms(server.url);
  const asked = Array.from({ length: 300 }, () => get(UTILIZE));
  await eventually(async () =>
    expect((await statsOf({ get }))[0].worms.coalesce).toMatchObject({ asked: 300 }),
  );
  await lock.release();
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const [{ worms: stats }] = await statsOf({ get });
  expect(stats).toMatchObject({ queries: 1, coalesce: { asked: 300, loaded: 1, joined: 299 } });
});

it('--accept cluster, --coalesce machine: all processes ask one database, and its password is nowhere', async () => {
  const { password } = new URL(server.url);
  const demo = await startDemo(
    ['--accept', 'cluster', '--workers', '2', '--coalesce', 'machine', '--worms', '2000'],
    { DATABASE_URL: server.url },
  );
  const lock = await lockWorms(server.url);
  const asked = Array.from({ length: 20 }, () =>
    getFrom(demo.url + UTILIZE, { headers: { connection: 'close' } }),
  );
  const shared = async () => (await getFrom(`${demo.url}/stats`)).body.processes[0].worms.coalesce;
  await eventually(async () => expect((await shared()).asked).toBe(2));
  await lock.release();
  const bodies = (await Promise.all(asked)).map(({ body }) => JSON.stringify(body));
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? '')).not.toEqual([]);
  const config = JSON.stringify((await getFrom(`${demo.url}/config`)).body);
  const shown = `postgres://${new URL(server.url).host}/postgres`;
  expect(config).toContain(`"databaseUrl":"${shown}"`);
  expect(demo.output()).toContain(shown);
  const stats = JSON.stringify((await getFrom(`${demo.url}/stats`)).body);
  for (const text of [config, stats, demo.output(), demo.errors()]) {
    expect(text).not.toContain(password);
  }
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  // The documents stay for the next start, the connections do not.
  expect(await backendsOf(server.url)).toEqual([]);
  const [counted] = await askPostgres(server.url, 'SELECT count(*) FROM ticketing_demo_worms');
  expect(counted).toEqual({ count: '2000' });
});

it('a wrong password: one clear line without it, and exit code 2', async () => {
  const url = Object.assign(new URL(server.url), { password: 's3cret' }).href;
  const { code, stderr, stdout } = await runDemo(['--database-url', url, '--worms', '100']);
  expect(stderr).toBe(
    'Cannot start: --database-url must be a database that can be filled, got password authentication failed for user "demo"\n',
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});
