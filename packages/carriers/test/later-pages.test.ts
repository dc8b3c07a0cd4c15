import { expect, test } from 'vitest';
import {
  DEADLINE_MS,
  faults,
  ids,
  PAGE,
  searchDay,
  struck,
  testLaterPages,
} from './later-pages-cases.ts';
import { now, startUpstream } from './upstream.ts';

// Each fault once, on the wires by turns; every wire has each in `test/full`. The pause that a status 429 asks for is long.
const names = Object.keys(faults).filter((name) => name !== 'status 429');
testLaterPages(names.map((name, index) => [ids[index % ids.length] ?? 'osdm', name]));

test.each(ids)(
  '%s: a page that there is no time for is a failure, and is not begun',
  async (id) => {
    const upstream = await startUpstream();
    upstream.sim.setPlan(id, { pageSize: PAGE });
    for (const [share, isLate] of [
      [0.59, false],
      [0.61, true],
    ] as const) {
      let lostMs = 0;
      const { result, requests } = await searchDay(upstream, id, {
        call: 0,
        now: () => now() + lostMs,
        async send(request, send) {
          const answer = await send(request);
          lostMs = share * DEADLINE_MS;
          return answer;
        },
      });
      if (isLate) {
        expect(requests).toHaveLength(1);
        expect(result.complete).toBe(false);
        expect(result.carriers[0]).toMatchObject({
          state: 'ok',
          error: {
            code: 'TIMEOUT',
            retryable: true,
            message: `Cannot ask \`${id}\` for all of the day: no time is left for another page`,
          },
        });
      } else {
        expect(requests.length).toBeGreaterThan(1);
      }
    }
  },
);

test.each(ids)(
  '%s: a day that `maxPages` ends is an answer, as far as `covers` says',
  async (id) => {
    const upstream = await startUpstream();
    upstream.sim.setPlan(id, { pageSize: PAGE });
    const { result, requests } = await searchDay(upstream, id, { maxPages: 2 });
    expect(requests).toHaveLength(2);
    expect(result).toMatchObject({ complete: true, carriers: [{ state: 'ok' }] });
    expect(result.carriers[0]).not.toHaveProperty('error');
  },
);

test.each(ids)('%s: what the first page fails with is the failure of the carrier', async (id) => {
  const upstream = await startUpstream();
  const send = struck(upstream, id, { kind: 'error' });
  const { result } = await searchDay(upstream, id, { call: 0, send });
  expect(result).toMatchObject({
    journeys: [],
    complete: false,
    carriers: [{ state: 'error', found: 0, error: { code: 'HTTP' } }],
  });
});

test('osdm: of two calls a page, what fails is the page', async () => {
  const upstream = await startUpstream();
  upstream.sim.setPlan('osdm', { pageSize: PAGE });
  for (const call of [2, 3]) {
    const { result } = await searchDay(upstream, 'osdm', {
      mode: 'two-calls',
      call,
      send: struck(upstream, 'osdm', { kind: 'error' }),
    });
    expect(result.journeys).toHaveLength(PAGE);
    expect(result.complete).toBe(false);
    expect(result.carriers[0]).toMatchObject({ state: 'ok', error: { code: 'HTTP' } });
  }
});
