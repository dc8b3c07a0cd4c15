import { expect, test } from 'vitest';
import { ASKED, eventually, requestsAt, serveDemo, serveDemoBy, setPlan, TODAY } from './demo.ts';
import { readEvents } from './read-events.ts';

const SEARCH = '/search?origin=Atocha&destination=Barcelona&date=2026-11-27';

/** A server with kept answers, whose clock the test sets forward. */
async function keeping(...argv: string[]) {
  let ahead = 0;
  const start = Date.parse(`${TODAY}T12:00Z`) - Math.floor(performance.now());
  const demo = await serveDemoBy(
    () => start + ahead + Math.floor(performance.now()),
    ...['--latency', '0', '--keep', '60:600', ...argv],
  );
  const arrived = async (): Promise<number> => {
    const requests = await requestsAt(demo.carriersUrl);
    return Object.values(requests).reduce((sum, one) => sum + one.arrived, 0);
  };
  const ask = async (path = SEARCH) => {
    const { status, body, headers } = await demo.get(path);
    /** A machine under load takes its time. */
    const tens = (name: string, round: (value: number) => number): number | null => {
      const value = headers.get(name);
      return value === null ? null : round(Number(value) / 10) * 10;
    };
    return {
      status,
      caches: body.carriers?.map(({ cache }: { cache?: string }) => cache),
      states: body.carriers?.map(({ state }: { state: string }) => state),
      errors: body.carriers?.map(({ error }: { error?: { code: string } }) => error?.code),
      complete: body.complete,
      journeys: JSON.stringify(body.journeys),
      age: tens('age', Math.floor),
      control: headers.get('cache-control'),
      expires: tens('x-accel-expires', Math.ceil),
      vary: headers.get('vary'),
    };
  };
  const later = (seconds: number): void => {
    ahead += seconds * 1000;
  };
  const counted = async () => (await demo.get('/stats')).body.processes[0].kept;
  return { ...demo, ask, arrived, later, counted };
}

const all = (cache: string | undefined) => ASKED.map(() => cache);

test('equal searches within a minute ask no carrier; then the old answer comes at once, and one load renews it', async () => {
  const { ask, arrived, later, counted } = await keeping();
  const first = await ask();
  expect(first).toMatchObject({ complete: true, caches: all(undefined), age: null });
  const asked = await arrived();
  later(30);
  expect(await ask()).toMatchObject({
    journeys: first.journeys,
    complete: true,
    caches: all('fresh'),
    age: 30,
    control: 'no-store',
  });
  // The same carriers in another order, and one of them alone: other searches with the same questions.
  expect(await ask(`${SEARCH}&order=price`)).toMatchObject({ caches: all('fresh') });
  expect(await ask(`${SEARCH}&carriers=renfe`)).toMatchObject({ caches: ['fresh'] });
  expect(await arrived()).toBe(asked);
  later(60);
  expect(await ask()).toMatchObject({ caches: all('stale'), complete: true, age: 90 });
  await eventually(async () => expect((await ask()).caches).toEqual(all('fresh')));
  // The carriers may keep a session from the first load.
  const renewed = (await arrived()) - asked;
  expect(renewed).toBeGreaterThan(0);
  expect(renewed).toBeLessThanOrEqual(asked);
  const { loaded, staleHits, hits, kept, keptBytes } = await counted();
  expect(staleHits).toBeGreaterThanOrEqual(3);
  expect({ loaded, kept }).toEqual({ loaded: 6, kept: 3 });
  expect(hits).toBeGreaterThanOrEqual(3 + 3 + 1 + 3 + 3);
  expect(keptBytes).toBeGreaterThan(1000);
});

test('fresh=1 asks every carrier, as a document and as a stream, and replaces what is kept', async () => {
  const { ask, arrived, later, url } = await keeping();
  await ask();
  const asked = await arrived();
  later(30);
  expect(await ask(`${SEARCH}&fresh=1`)).toMatchObject({ caches: all(undefined), age: null });
  expect(await arrived()).toBeGreaterThan(asked);
  expect(await ask()).toMatchObject({ caches: all('fresh'), age: 0 });
  later(10);
  const kept = await readEvents(`${url}${SEARCH}`);
  expect(kept.last).toMatchObject({
    type: 'search-done',
    carriers: ASKED.map(() => ({ cache: 'fresh' })),
  });
  const ages = JSON.stringify(kept.last).matchAll(/"ageMs":(\d+)/g);
  expect([...ages].map(([, ageMs]) => Math.floor(Number(ageMs) / 10_000))).toEqual([1, 1, 1]);
  const anew = await readEvents(`${url}${SEARCH}&fresh=1`);
  expect(anew.last).toMatchObject({ type: 'search-done', complete: true });
  expect(JSON.stringify(anew.last)).not.toContain('cache');
});

test('a carrier that fails is answered for by its old answer, which says so; fresh=1 has no old answer', async () => {
  const { ask, later, carriersUrl } = await keeping('--carriers', 'renfe');
  const { journeys } = await ask();
  await setPlan(carriersUrl, 'renfe', { fault: { kind: 'error', share: 1 } });
  later(120);
  expect(await ask()).toMatchObject({ caches: ['stale'], complete: true, errors: [undefined] });
  await eventually(async () => {
    const answer = await ask();
    expect(answer.errors[0]).toEqual(expect.any(String));
    expect(answer).toMatchObject({ journeys, states: ['ok'], caches: ['stale'], complete: false });
  });
  expect((await ask(`${SEARCH}&fresh=1`)).status).toBe(502);
  expect(await ask()).toMatchObject({ journeys, status: 200, complete: false });
  later(600);
  expect((await ask()).status).toBe(502);
});

test('by --http-cache caches may keep complete answers for what is left of their time, and nothing else', async () => {
  const { ask, later, carriersUrl, get, url } = await keeping('--http-cache', '60:300');
  const control = 'public, max-age=60, stale-while-revalidate=300';
  const vary = 'accept, accept-encoding';
  expect(await ask()).toMatchObject({ control, age: null, expires: null, vary });
  later(20);
  expect(await ask()).toMatchObject({ control, age: 20, expires: 40, vary });
  later(100);
  expect(await ask()).toMatchObject({ control: 'no-store', age: 120, expires: null });
  // Without a date the address means another day tomorrow; new answers are wanted each time.
  for (const path of ['/search?origin=Atocha&destination=Barcelona', `${SEARCH}&fresh=1`]) {
    expect(await ask(path)).toMatchObject({ complete: true, control: 'no-store' });
  }
  await setPlan(carriersUrl, 'ouigo', { fault: { kind: 'error', share: 1 } });
  const other = SEARCH.replace('11-27', '11-28');
  expect(await ask(other)).toMatchObject({ complete: false, control: 'no-store' });
  for (const [path, accept] of [
    [SEARCH, 'application/x-ndjson'],
    [SEARCH, 'text/event-stream'],
    [SEARCH, 'text/html'],
    ['/search?origin=Atocha', 'application/json'],
    ['/stats', 'application/json'],
  ] as const) {
    const { headers } = await get(path, { headers: { accept }, redirect: 'manual' });
    expect(headers.get('cache-control'), `${path} ${accept}`).toBe('no-store');
  }
  const refused = await fetch(`${url}${SEARCH}`, { headers: { accept: 'image/png' } });
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([406, 'no-store']);
});

test('without --keep each search asks its carriers, and /stats has nothing kept', async () => {
  const demo = await serveDemo('--latency', '0');
  const { body, headers } = await demo.get(SEARCH);
  await demo.get(SEARCH);
  expect(JSON.stringify(body)).not.toContain('ageMs');
  expect([headers.get('age'), headers.get('cache-control')]).toEqual([null, 'no-store']);
  expect((await demo.get('/stats')).body.processes[0].kept).toBe(undefined);
  expect((await requestsAt(demo.carriersUrl))['avlo']?.arrived).toBe(4);
});

test.each([
  [
    'whole searches in workers',
    ['--dispatch', 'fork', '--dispatch-workers', '1', '--offload', 'search'],
  ],
  ["carriers' work in workers", ['--dispatch', 'piscina', '--dispatch-workers', '1']],
] as const)('%s: answers are kept where the search runs', async (_, argv) => {
  // Workers have the platform's clock.
  const demo = await serveDemoBy(Date.now, '--latency', '0', '--keep', '60:600', ...argv);
  const { origin, date } = { origin: 'Atocha', date: new Date(Date.now() + 86_400_000 * 3) };
  const path = `/search?origin=${origin}&destination=Barcelona&date=${date.toISOString().slice(0, 10)}`;
  await demo.get(path);
  const { body } = await demo.get(path);
  expect(body.carriers.map(({ cache }: { cache?: string }) => cache)).toEqual(all('fresh'));
  const anew = await demo.get(`${path}&fresh=1`);
  expect(anew.body.carriers.map(({ cache }: { cache?: string }) => cache)).toEqual(all(undefined));
  // Workers report now and then.
  await eventually(async () => {
    const metrics = await (await fetch(`${demo.url}/metrics`)).text();
    expect(sumOf(metrics, 'ticketing_kept_answers')).toBe(3);
    expect(sumOf(metrics, 'ticketing_kept_questions_total', 'fresh')).toBe(3);
  });
});

/** Sum of the series of all processes. */
function sumOf(metrics: string, name: string, outcome?: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`));
  const some = lines.filter((line) => outcome === undefined || line.includes(`"${outcome}"`));
  return some.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
