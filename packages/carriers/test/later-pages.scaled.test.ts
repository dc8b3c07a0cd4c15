import type { FaultPatch } from '@ticketing/carrier-sim';
import {
  type CarrierErrorCode,
  type CarrierHttp,
  type CarrierHttpRequest,
  type CarrierHttpResponse,
  createSearch,
  type SearchResult,
} from '@ticketing/core';
import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, now, queryOf, startUpstream, type Upstream } from './upstream.ts';

/** Wires without cursors of their own. */
type Id = 'osdm' | 'hafas' | 'ojp' | 'navitia';
const ids: readonly Id[] = ['osdm', 'hafas', 'ojp', 'navitia'];
const PAGE = 3;
const DEADLINE_MS = 60_000;
const queryOfId = (id: Id) =>
  id === 'navitia' ? queryOf('7015400', '8727100') : queryOf('8503000', '8301700');

/** What becomes of a call. */
type Send = (
  request: CarrierHttpRequest,
  send: CarrierHttp['send'],
) => Promise<CarrierHttpResponse>;

interface Asked {
  readonly result: SearchResult;
  readonly requests: readonly CarrierHttpRequest[];
}

/** Searches a whole day; `send` answers the call of that number, from 0. */
async function searchDay(
  upstream: Upstream,
  id: Id,
  {
    call,
    send,
    ...settings
  }: Parameters<typeof createCarriers>[1] & {
    readonly call?: number;
    readonly send?: Send;
  },
): Promise<Asked> {
  const requests: CarrierHttpRequest[] = [];
  const client = upstream.http.clientOf(id);
  const http: CarrierHttp = {
    send(request) {
      requests.push(request);
      const own: CarrierHttp['send'] = (one) => client.send(one);
      return send && requests.length - 1 === call ? send(request, own) : own(request);
    },
  };
  const { [id]: carrier } = createCarriers(upstream.sim.url, { maxPages: 20, ...settings });
  const search = createSearch({
    carriers: [carrier],
    http: () => http,
    deadlineMs: DEADLINE_MS,
    now,
    run: async (one, asked, context) =>
      one.normalise(structuredClone(await one.request(asked, context)), asked),
  });
  return { result: await search.search(queryOfId(id)), requests };
}

/** The fault strikes this call alone. */
const struck =
  (upstream: Upstream, id: Id, fault: FaultPatch): Send =>
  async (request, send) => {
    upstream.sim.setPlan(id, { fault });
    try {
      return await send(request);
    } finally {
      upstream.sim.setPlan(id, { fault: null });
    }
  };

const answered =
  (change: (text: string) => string): Send =>
  async (request, send) => {
    const answer = await send(request);
    const text = change(new TextDecoder().decode(answer.body));
    return { ...answer, body: bytesOf(text) };
  };

type Codes = CarrierErrorCode | Readonly<Record<Id, CarrierErrorCode>>;

/** What strikes the second page, and the code of the failure. */
const faults: Readonly<
  Record<string, readonly [codes: Codes, of: (upstream: Upstream, id: Id) => Send]>
> = {
  'status 500': ['HTTP', (upstream, id) => struck(upstream, id, { kind: 'error' })],
  'status 429': ['RATE_LIMITED', (upstream, id) => struck(upstream, id, { kind: 'rate-limited' })],
  'a closed connection': ['NETWORK', (upstream, id) => struck(upstream, id, { kind: 'reset' })],
  'half an answer': ['PROTOCOL', (upstream, id) => struck(upstream, id, { kind: 'truncated' })],
  'a page for people': [
    'AUTH',
    () => async (request, send) => ({
      ...(await send(request)),
      headers: { 'content-type': 'text/html' },
      body: bytesOf('<!doctype html><p>Are you a person?'),
    }),
  ],
  silence: [
    'TIMEOUT',
    (upstream, id) => (request, send) =>
      struck(upstream, id, { kind: 'hang' })({ ...request, deadline: now() + 20 }, send),
  ],
  'a wrong body': ['PROTOCOL', () => answered((text) => text.slice(0, -9))],
  'a journey that cannot be read': [
    'PROTOCOL',
    () =>
      answered((text) =>
        text
          .replace(/"timetabledTime":\s*"[^"]*"/, '"timetabledTime":"soon"')
          .replace(/"dTimeS":"\d+"/, '"dTimeS":"soon"')
          .replace(
            /(,"departure_date_time":)"\w+"(?=,"arrival_date_time":"\w+","duration":\d+,"base_)/,
            '$1"soon"',
          )
          .replaceAll(/(<(?:\w+:)?TimetabledTime>)[^<]*/g, '$1soon'),
      ),
  ],
  'an error without a code': [
    'INTERNAL',
    () => () => Promise.reject(new TypeError('a header is no text')),
  ],
};

const names = Object.keys(faults);
const cases = scaled<readonly (readonly [id: Id, fault: string])[]>({
  // Each fault once, on the wires by turns. The pause that a status 429 asks for is long.
  fast: names
    .filter((name) => name !== 'status 429')
    .map((name, index) => [ids[index % ids.length] ?? 'osdm', name]),
  full: ids.flatMap((id) => names.map((fault) => [id, fault] as const)),
});

// A fault strikes the second or third page of a day.
test.each(cases)(
  '%s: %s in place of the second page leaves the first one, and the search is not complete',
  async (id, name) => {
    const [codes, of] = faults[name] as (typeof faults)[string];
    const upstream = await startUpstream();
    upstream.sim.setPlan(id, { pageSize: PAGE });
    const whole = await searchDay(upstream, id, {});
    expect(whole.result).toMatchObject({ complete: true, carriers: [{ state: 'ok' }] });
    expect(whole.result.carriers[0]).not.toHaveProperty('error');
    const code = typeof codes === 'string' ? codes : codes[id];
    for (const call of [1, 2]) {
      const { result, requests } = await searchDay(upstream, id, {
        call,
        send: of(upstream, id),
      });
      const [status] = result.carriers;
      // What `normalise` alone can see does not end the requests.
      expect(requests.length).toBeGreaterThan(call);
      expect(status).toMatchObject({ state: 'ok', error: { code } });
      expect(result.complete).toBe(false);
      const before = result.journeys.length;
      expect(before).toBeGreaterThanOrEqual(call * (PAGE - 1));
      expect(before).toBeLessThanOrEqual(call * PAGE);
      // What was found is the beginning of the day, and `covers` ends with it.
      const dayJourneys = whole.result.journeys.slice(0, before);
      expect(result.journeys.map((journey) => journey.id)).toEqual(
        dayJourneys.map((one) => one.id),
      );
      const last = result.journeys.at(-1)?.departure.ms ?? 0;
      const next = whole.result.journeys[before]?.departure.ms ?? 0;
      expect(status?.covers?.untilMs).toBeGreaterThanOrEqual(last);
      expect(status?.covers?.untilMs).toBeLessThanOrEqual(next);
      // The rest of the day is behind the page that follows.
      expect(result.pages?.later?.byCarrier[id]).toHaveLength(1);
      // Later pages end in time for the first ones to be used.
      const [first, ...further] = requests.map(({ deadline }) => deadline);
      for (const deadline of further) {
        expect((first ?? 0) - deadline).toBeGreaterThan(0.15 * DEADLINE_MS);
      }
    }
    // Asked again, it answers all.
    const again = await searchDay(upstream, id, {});
    const idsOf = ({ journeys }: SearchResult): string[] => journeys.map((one) => one.id);
    expect(idsOf(again.result)).toEqual(idsOf(whole.result));
    expect(again.result.complete).toBe(true);
  },
);

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

test.each(ids)('%s: the failure of the first page is the failure of the carrier', async (id) => {
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
