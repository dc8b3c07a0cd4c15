import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { StatsDocument } from '../src/figures/stats-document.ts';
import { SearchAnswer } from '../src/http/api/search-schemas.ts';
import {
  type Demo,
  MADRID_BARCELONA,
  requestsAt,
  serveDemo,
  serveDemoBy,
  setPlan,
  statsOf,
  TODAY,
} from './demo.ts';
import { schemaErrors } from './schema-errors.ts';

/** On a busy machine the server would refuse requests of its own accord. */
const OWN = ['--latency', '0', '--max-in-flight', 'off'];

/** A server whose time stands still, but for jumps. */
async function serveAtNoon(...argv: string[]) {
  const clock = { ms: Date.parse(`${TODAY}T12:00Z`) };
  const server = await serveDemoBy(() => clock.ms, ...OWN, ...argv);
  return { server, clock };
}

async function arrivedAt({ carriersUrl }: Demo, carrier: string): Promise<number> {
  return (await requestsAt(carriersUrl))[carrier]?.arrived ?? Number.NaN;
}

async function guardOf(server: Demo, carrier: string) {
  return (await statsOf(server))[0].guards[carrier];
}

/** The carrier’s status in a search, whatever the search’s own. */
async function statusOf({ get }: Demo, path = MADRID_BARCELONA) {
  const { status, headers, body } = await get(path);
  return { status, retryAfter: headers.get('retry-after'), carrier: body.carriers[0] };
}

test('a carrier that answers 429 with Retry-After: 1 all the time is asked once, and again when its pause is over', async () => {
  const { server, clock } = await serveAtNoon('--carriers', 'renfe');
  const { carriersUrl } = server;
  await setPlan(carriersUrl, 'renfe', { fault: { kind: 'rate-limited', share: 1 } });
  const refused = (retryAfterMs: number) => ({
    status: 503,
    retryAfter: '1',
    carrier: { state: 'rate-limited', error: { code: 'RATE_LIMITED', retryAfterMs } },
  });
  // The first search does not wait for the pause, and does not ask again.
  expect(await statusOf(server)).toMatchObject(refused(1000));
  expect(await arrivedAt(server, 'renfe')).toBe(1);
  // Nor do others within it ask: they are refused with the time that is left.
  clock.ms += 400;
  expect(await statusOf(server)).toMatchObject(refused(600));
  expect(await statusOf(server, `${MADRID_BARCELONA}&passengers=2`)).toMatchObject(refused(600));
  expect(await arrivedAt(server, 'renfe')).toBe(1);
  expect(await guardOf(server, 'renfe')).toMatchObject({
    ...{ circuit: 'closed', pausedMs: 600, calls: 3, throttled: 1, refusedByRate: 2 },
  });
  clock.ms += 600;
  expect(await statusOf(server)).toMatchObject(refused(1000));
  expect(await arrivedAt(server, 'renfe')).toBe(2);
  await setPlan(carriersUrl, 'renfe', { fault: null });
  clock.ms += 1000;
  expect(await statusOf(server)).toMatchObject({ status: 200, carrier: { state: 'ok' } });
});

test('a carrier that fails ten times is not asked for a while, then by one call at a time until three are good', async () => {
  const { server, clock } = await serveAtNoon('--carriers', 'avlo');
  await setPlan(server.carriersUrl, 'avlo', { fault: { kind: 'malformed-price', share: 1 } });
  for (let search = 0; search < 10; search++) {
    expect(await statusOf(server)).toMatchObject({ status: 502, carrier: { state: 'error' } });
  }
  const before = await arrivedAt(server, 'avlo');
  const { status, retryAfter, carrier } = await statusOf(server);
  expect([status, carrier.state, carrier.error.code]).toEqual([
    ...[503, 'circuit-open', 'CIRCUIT_OPEN'],
  ]);
  const { retryAfterMs } = carrier.error;
  expect(retryAfterMs).toBeGreaterThanOrEqual(4000);
  expect(retryAfterMs).toBeLessThanOrEqual(6000);
  expect(retryAfter).toBe(String(Math.ceil(retryAfterMs / 1000)));
  expect(await arrivedAt(server, 'avlo')).toBe(before);
  expect(await guardOf(server, 'avlo')).toMatchObject({
    ...{ circuit: 'open', openMs: retryAfterMs, opened: 1, failure: 10, refusedByCircuit: 1 },
  });
  await setPlan(server.carriersUrl, 'avlo', { fault: null });
  clock.ms += retryAfterMs;
  const states: string[] = [];
  for (let search = 0; search < 3; search++) {
    expect(await statusOf(server)).toMatchObject({ status: 200, carrier: { state: 'ok' } });
    states.push((await guardOf(server, 'avlo')).circuit);
  }
  expect(states).toEqual(['half-open', 'half-open', 'closed']);
});

test('of a carrier that hangs, one question reaches it when its circuit has been open for its time', async () => {
  const { server, clock } = await serveAtNoon('--carriers', 'ouigo', '--deadline-ms', '500');
  await setPlan(server.carriersUrl, 'ouigo', { fault: { kind: 'hang', share: 1 } });
  const searches = (from: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        statusOf(server, `${MADRID_BARCELONA}&passengers=1&maxTransfers=${(from + index) % 9}`),
      ),
    );
  for (const from of [0, 5]) await searches(from, 5);
  const { openMs, circuit } = await guardOf(server, 'ouigo');
  expect(circuit).toBe('open');
  const before = await arrivedAt(server, 'ouigo');
  const refused = await searches(0, 9);
  expect(new Set(refused.map(({ carrier }) => carrier.state))).toEqual(new Set(['circuit-open']));
  expect(await arrivedAt(server, 'ouigo')).toBe(before);
  clock.ms += openMs;
  const probed = await searches(0, 9);
  expect(probed.map(({ carrier }) => carrier.state).toSorted()).toEqual([
    ...Array.from({ length: 8 }, () => 'circuit-open'),
    'timeout',
  ]);
  expect(await arrivedAt(server, 'ouigo')).toBe(before + 1);
  expect((await guardOf(server, 'ouigo')).openMs).toBeGreaterThan(openMs);
});

test('a failure is retried once, by the guard alone, and the status has the attempts, in a document and a stream', async () => {
  const server = await serveDemo('--carriers', 'renfe', ...OWN);
  await setPlan(server.carriersUrl, 'renfe', { fault: { kind: 'error', share: 1 } });
  const { carrier } = await statusOf(server);
  expect(carrier).toMatchObject({ state: 'error', attempts: 2, error: { code: 'HTTP' } });
  expect(schemaErrors(SearchAnswer.properties.carriers, [carrier])).toEqual([]);
  const [stats] = await statsOf(server);
  expect(stats.http.renfe).toMatchObject({ sent: 2, retried: 0 });
  expect(stats.guards.renfe).toMatchObject({ failure: 2, retries: 1 });
  expect(await arrivedAt(server, 'renfe')).toBe(2);
  expect(schemaErrors(StatsDocument, (await server.get('/stats')).body)).toEqual([]);
  const { body } = await server.get(MADRID_BARCELONA, {
    headers: { accept: 'application/x-ndjson' },
  });
  const events = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ended = events.findLast(({ type }) => type === 'carrier-status');
  expect(ended.status).toMatchObject({ carrier: 'renfe', state: 'error' });
});

test('--guard off asks as before: the connections retry, nothing pauses, and no figures are there', async () => {
  const server = await serveDemo('--carriers', 'renfe', ...OWN, '--guard', 'off');
  const fault = { kind: 'rate-limited', share: 1, retryAfterSeconds: 0 };
  await setPlan(server.carriersUrl, 'renfe', { fault });
  for (let search = 0; search < 2; search++) await statusOf(server);
  const [stats] = await statsOf(server);
  expect(stats.http.renfe).toMatchObject({ sent: 4, retried: 2 });
  expect(stats.guards).toEqual({});
});

test('--rate lets a burst through and refuses what is above it, with the time until the next question', async () => {
  const { server, clock } = await serveAtNoon('--carriers', 'renfe', '--rate', 'renfe=0.1:2');
  const states: string[] = [];
  for (const passengers of [1, 2, 3]) {
    const { carrier } = await statusOf(server, `${MADRID_BARCELONA}&passengers=${passengers}`);
    states.push(carrier.state);
  }
  expect(states).toEqual(['ok', 'ok', 'rate-limited']);
  expect((await statusOf(server)).carrier.error.retryAfterMs).toBe(10_000);
  const before = await arrivedAt(server, 'renfe');
  // Two searches of four calls each.
  expect(before).toBe(8);
  clock.ms += 10_000;
  expect((await statusOf(server)).carrier.state).toBe('ok');
});

test('workers that run whole searches have guards of their own, which their reports show', async () => {
  const workers = ['--dispatch', 'piscina', '--dispatch-workers', '1', '--offload', 'search'];
  // Workers have the platform's clock.
  const server = await serveDemoBy(Date.now, '--carriers', 'renfe', ...OWN, ...workers);
  const fault = { kind: 'rate-limited', share: 1, retryAfterSeconds: 3600 };
  await setPlan(server.carriersUrl, 'renfe', { fault });
  for (let search = 0; search < 3; search++) {
    expect((await statusOf(server)).carrier.state).toBe('rate-limited');
  }
  expect(await arrivedAt(server, 'renfe')).toBe(1);
  const reported = async () =>
    (await statsOf(server))[0].dispatch.workers[0].moduleReport?.guards?.renfe;
  await until(async () => (await reported())?.refusedByRate === 2);
  expect(await reported()).toMatchObject({ calls: 3, throttled: 1 });
  const metrics = await server.get('/metrics');
  expect(metrics.body).toContain(
    'ticketing_guard_refused_total{process="server-0/task-0",name="renfe",part="rate"} 2',
  );
});
