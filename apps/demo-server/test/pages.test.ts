import { stationTable } from '@ticketing/carriers';
import { createJourney, createLocalClock, createStationIndex, type Journey } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLines } from '../src/pages/browser/traveller/search-feed.ts';
import { matches } from '../src/pages/form/match-stations.ts';
import { html } from '../src/pages/frame/html.ts';
import {
  carrierList,
  countLine,
  firstAgain,
  missingText,
  toAskAgain,
} from '../src/pages/results/carrier-line.ts';
import { joinJourneys } from '../src/pages/results/join-journeys.ts';
import {
  type FeedEvent,
  idle,
  reduce,
  type SearchState,
} from '../src/pages/results/search-state.ts';
import { againText } from '../src/pages/words/again-count.ts';
import { fold } from '../src/search/fold.ts';
import { sharedServer } from './demo.ts';

test('html escapes every value, as text and in attributes; markup nests, nothing is nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const markup = String(html`<p title="${text}">${text}</p>`);
      const inner = markup.slice('<p title="'.length, -'</p>'.length);
      expect(inner.split('">')).toHaveLength(2);
      expect(inner.replace('">', '')).not.toMatch(/[<>"']/);
    }),
  );
  expect(String(html`<b>${[html`<i>${'&'}</i>`, undefined, null, false, 0]}</b>`)).toBe(
    '<b><i>&amp;</i>0</b>',
  );
});

test('readLines() gives each line however the bytes are cut, and cancels the stream when it is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }).filter((line) => !line.includes('\n'))),
      fc.integer({ min: 1, max: 7 }),
      async (lines, size) => {
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
        const stream = new ReadableStream<Uint8Array>({
          start(controller) {
            for (let at = 0; at < bytes.length; at += size) {
              controller.enqueue(bytes.slice(at, at + size));
            }
            controller.close();
          },
        });
        const read: string[] = [];
        for await (const line of readLines(stream)) read.push(line);
        expect(read).toEqual(lines);
      },
    ),
  );
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('line\n')),
    cancel() {
      isCancelled = true;
    },
  });
  for await (const line of readLines(endless)) {
    expect(line).toBe('line');
    break;
  }
  expect(isCancelled).toBe(true);
});

const choices = stationTable.stations.flatMap(({ name, aliases = [] }) =>
  [name, ...aliases].map((one) => ({
    name: one,
    folded: fold(one),
    of: one === name ? undefined : name,
    kind: 'station' as const,
  })),
);

test('matches() finds by the beginnings of words, without accents, eight at most', () => {
  expect(matches(choices, 'CORDOBA')[0]?.name).toContain('Córdoba');
  expect(matches(choices, 'puerta atocha').every(({ folded }) => folded.includes('atocha'))).toBe(
    true,
  );
  expect(matches(choices, 'a')).toHaveLength(8);
  expect(matches(choices, 'no such place')).toEqual([]);
});

test('fold() takes each name for the one that the server finds', () => {
  const index = createStationIndex(stationTable.stations);
  for (const { name } of choices) {
    expect([index.find(fold(name)).kind, name]).toEqual([index.find(name).kind, name]);
  }
});

const status = (state: 'running' | 'ok' | 'timeout', found = 0) =>
  ({ carrier: 'renfe', state, ms: 12.4, found }) as const;
const names = {
  carriers: new Map([
    ['renfe', 'Renfe'],
    ['avlo', 'Avlo'],
  ]),
  calls: new Map([['renfe', 'makes four calls']]),
  stations: new Map(),
};
const late = { code: 'TIMEOUT', retryable: true, message: '<late>' } as const;

test('the line above the list shows how far a search is, and what it has found', () => {
  const line = (
    carriers: Parameters<typeof countLine>[0]['carriers'],
    more: Partial<Parameters<typeof countLine>[0]> = {},
  ) => countLine({ carriers, found: 26, sellers: 3, isAsking: false, ...more });
  const half = [status('running'), { ...status('ok', 14), carrier: 'avlo' }];
  expect(line([], { isAsking: true })).toBe('Asking');
  expect(line(half, { isAsking: true, found: 14 })).toBe('1 of 2 answered · 14 trains so far');
  expect(line(half, { isAsking: true, found: 0 })).toBe('1 of 2 answered');
  expect(line(half)).toBe('26 trains of 3 carriers');
  expect(line(half, { found: 1, sellers: 1 })).toBe('1 train of 1 carrier');
  expect(line(half, { shown: 5 })).toBe('5 of 26 trains of 3 carriers');
  expect(line(half, { shown: 26 })).toBe('26 trains of 3 carriers');
});

test('inside it is what each carrier answered, when, how it is asked, and why it did not answer', () => {
  const inside = (one: Parameters<typeof toAskAgain>[0][number]): string =>
    String(carrierList([one], names));
  const answered = inside(status('ok', 18));
  for (const part of [
    'data-carrier="renfe" data-state="ok"',
    '18 trains',
    '12 ms',
    'It makes four calls.',
  ]) {
    expect(answered).toContain(part);
  }
  const failed = inside({ ...status('timeout'), error: late });
  expect(failed).toContain('no answer in time');
  expect(failed).toContain('<code>TIMEOUT</code> &lt;late&gt;.');
  expect(inside(status('running'))).not.toContain(' ms');
  expect(
    inside({
      ...status('ok', 2),
      filtered: 3,
      leftOut: { 'with an unknown station': 3 },
      ignored: ['ages'],
    }),
  ).toContain(
    '3 of its journeys cannot be shown: 3 with an unknown station. Its prices do not heed ages.',
  );
  expect(inside({ ...status('ok', 2), error: late })).toContain('2 trains, not all');
});

const wait = { code: 'CIRCUIT_OPEN', retryable: true, message: 'open' } as const;
const paused = (state: 'circuit-open' | 'rate-limited', retryAfterMs: number, carrier = 'renfe') =>
  ({
    ...status('timeout'),
    ...{ carrier, state, error: { ...wait, retryAfterMs }, againAt: 1e12 + retryAfterMs },
  }) as const;

test('of a paused carrier the list has the time until it is asked again, as a count and in words', () => {
  const inside = (one: Parameters<typeof toAskAgain>[0][number]): string =>
    String(carrierList([one], names));
  const open = inside(paused('circuit-open', 3100));
  expect(open).toContain('paused after failures, again <b class="num again" data-again-at="');
  expect(open).toContain('aria-hidden="true">in 4 s</b><span class="sr">in 4 seconds</span>');
  const limited = inside(paused('rate-limited', 600_000));
  expect(limited).toContain('asked too often, again <b class="num again long"');
  expect(limited).toContain('>in 10 min</b><span class="sr">in 10 minutes</span>');
  expect(inside({ ...status('timeout'), error: late })).not.toContain('again');
  expect(inside({ ...status('ok', 3), attempts: 2 })).toContain('It was asked 2 times.');
  expect(inside({ ...status('ok', 3), attempts: 2, hedged: true })).toContain(
    'It was asked 2 times, once because it was slow.',
  );
});

test('againText() rounds up, so that nobody is refused who comes when it is over', () => {
  const texts = [-1, 0, 1, 1000, 1001, 99_000, 99_001, 600_000].map(againText);
  expect(texts).toEqual([
    ...['now', 'now', 'in 1 s', 'in 1 s', 'in 2 s', 'in 99 s', 'in 2 min', 'in 10 min'],
  ]);
});

test('a carrier is asked again when it may be; the end of a search does not begin its time anew', () => {
  const { againAt: _, ...open } = paused('circuit-open', 4000);
  let state = reduce(idle, { type: 'carrier-status', status: open } as FeedEvent, 1e12);
  const done = { type: 'search-done', carriers: [open], complete: false, found: 0, ms: 1 } as const;
  state = reduce(state, done, 1e12 + 3000);
  expect(state.carriers).toMatchObject([{ carrier: 'renfe', againAt: 1e12 + 4000 }]);
  expect(toAskAgain(state.carriers, 1e12 + 3999)).toEqual([]);
  expect(toAskAgain(state.carriers, 1e12 + 4000)).toEqual(['renfe']);
  const avlo = { ...status('timeout'), carrier: 'avlo' };
  expect(toAskAgain([...state.carriers, avlo], 1e12)).toEqual(['avlo']);
  expect(firstAgain([...state.carriers, avlo])).toBeUndefined();
  expect(firstAgain([...state.carriers, paused('rate-limited', 2000, 'avlo')])).toMatchObject({
    carrier: 'avlo',
  });
});

test('a notice names the carriers whose trains are missing, and why', () => {
  const missing = (...carriers: Parameters<typeof missingText>[0]) => missingText(carriers, names);
  const avlo = { ...status('timeout'), carrier: 'avlo' };
  expect(missing(status('ok', 3))).toBeUndefined();
  expect(missing(status('timeout'))).toEqual({
    title: 'Renfe did not answer in time.',
    text: 'Its trains are missing below.',
  });
  expect(missing(status('timeout'), avlo)).toEqual({
    title: 'Renfe and Avlo did not answer in time.',
    text: 'Their trains are missing below.',
  });
  const of = (state: 'error' | 'rejected-busy' | 'rate-limited' | 'circuit-open') =>
    missing({ ...status('timeout'), state })?.title;
  const states = ['error', 'rejected-busy', 'rate-limited', 'circuit-open'] as const;
  expect(states.map(of)).toEqual([
    'Renfe did not answer.',
    'Renfe is too busy to answer.',
    'Renfe was asked too often.',
    'Renfe is paused after failures.',
  ]);
  expect(missing({ ...status('ok', 18), error: late })).toEqual({
    title: 'Renfe did not send all.',
    text: 'Some of its trains are missing below.',
  });
});

test('toAskAgain() has the carriers that may answer if they are asked again', () => {
  expect([toAskAgain([status('ok')]), toAskAgain([status('timeout')])]).toEqual([[], ['renfe']]);
  const failed = (retryable: boolean) =>
    ({ ...status('ok'), state: 'error', error: { code: 'HTTP', retryable, message: '' } }) as const;
  expect([toAskAgain([failed(true)]), toAskAgain([failed(false)])]).toEqual([['renfe'], []]);
  const partial = (retryable: boolean) => ({ ...failed(retryable), state: 'ok' }) as const;
  expect([toAskAgain([partial(true)]), toAskAgain([partial(false)])]).toEqual([['renfe'], []]);
});

test('reduce() keeps the newest state of each journey and carrier', () => {
  const journey = (id: string) => ({ id }) as never;
  let state = reduce(idle, { type: 'asked' });
  state = reduce(state, {
    type: 'journeys-upsert',
    seq: 1,
    journeys: [journey('a'), journey('b')],
    removed: [],
    places: {},
    operators: {},
  });
  state = reduce(state, {
    type: 'journeys-upsert',
    seq: 2,
    journeys: [journey('c')],
    removed: ['a'],
    places: {},
    operators: {},
  });
  expect([...state.journeys.keys()]).toEqual(['b', 'c']);
  expect(reduce(state, { type: 'broken' })).toMatchObject({ phase: 'broken' });
  expect([...reduce(state, { type: 'broken' }).journeys.keys()]).toEqual(['b', 'c']);
});

const clock = createLocalClock();

test('reduce() keeps the answers when some carriers are asked again, and joins the new ones', () => {
  const journey = (carrier: string, number: string, at: string): Journey =>
    createJourney({
      source: carrier,
      legs: [
        {
          kind: 'ride',
          number,
          origin: 'a',
          destination: 'b',
          departure: clock.fromLocal(`2026-12-01T${at}`, 'Europe/Madrid'),
          arrival: clock.fromLocal(`2026-12-01T23:00`, 'Europe/Madrid'),
        },
      ],
      offers: [
        {
          id: 'basic',
          seller: carrier,
          total: { amount: 1900, currency: 'EUR' },
          travelClass: 'second',
          flexibility: 'none',
          fetchedAt: 0,
        },
      ],
    });
  const upsert = (...journeys: Journey[]) =>
    ({
      type: 'journeys-upsert',
      seq: 1,
      journeys,
      removed: [],
      places: {},
      operators: {},
    }) as const;
  const of = (carrier: string, state: 'running' | 'ok' | 'timeout') =>
    ({ carrier, state, ms: 1, found: 0 }) as const;
  const run = (from: SearchState, ...events: FeedEvent[]) => events.reduce(reduce, from);
  const query = { origin: { id: 'a', name: 'A' }, destination: { id: 'b', name: 'B' } } as never;
  const partial = run(
    idle,
    { type: 'asked' },
    {
      type: 'search-started',
      query,
      deadline: 0,
      carriers: [of('renfe', 'running'), of('avlo', 'running')],
    },
    upsert(journey('avlo', '1', '08:00'), journey('avlo', '2', '09:00')),
    {
      type: 'search-done',
      carriers: [of('renfe', 'timeout'), of('avlo', 'ok')],
      complete: false,
      found: 2,
      ms: 9,
    },
  );
  const problem = { title: 'Too busy', status: 503, detail: 'Worker 1 ended' };
  expect(run(partial, { type: 'asked' }, { type: 'search-failed', problem })).toMatchObject({
    phase: 'failed',
    problem,
  });
  const asking = run(partial, { type: 'asked', again: ['renfe'], join: joinJourneys });
  expect(asking).toMatchObject({
    phase: 'asking',
    carriers: [of('renfe', 'running'), of('avlo', 'ok')].map(({ carrier, state }) => ({
      carrier,
      state,
    })),
  });
  expect(asking.ms).toBeUndefined();
  expect([...asking.journeys.keys()]).toEqual([...partial.journeys.keys()]);
  const done = run(
    asking,
    { type: 'search-started', query, deadline: 0, carriers: [of('renfe', 'running')] },
    upsert(journey('renfe', '1', '08:00')),
    upsert(journey('renfe', '3', '10:00')),
    { type: 'search-done', carriers: [of('renfe', 'ok')], complete: true, found: 2, ms: 5 },
  );
  expect(done).toMatchObject({
    phase: 'done',
    ms: 5,
    carriers: [of('renfe', 'ok'), of('avlo', 'ok')],
  });
  const found = [...done.journeys.values()].map(({ sources, offers }) => [sources, offers.length]);
  expect(found.toSorted()).toEqual([
    [['avlo'], 1],
    [['avlo', 'renfe'], 2],
    [['renfe'], 1],
  ]);
  for (const type of ['broken', 'asked'] as const) {
    const event = type === 'asked' ? { type, again: ['renfe'], join: joinJourneys } : { type };
    expect(run(done, event).journeys.size).toBe(3);
  }
  expect(run(done, { type: 'asked' }).journeys.size).toBe(0);
});

const server = sharedServer();

test('GET / is a page that loads nothing from elsewhere, with assets that never change', async () => {
  const { status: code, type, headers, body } = await server().get('/');
  expect([code, type]).toEqual([200, 'text/html']);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('permissions-policy')).toContain('geolocation=()');
  expect(headers.get('cache-control')).toBe('no-cache');
  const assets = [...(body as string).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(assets).toHaveLength(4);
  for (const path of assets) {
    const asset = await server().get(path);
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect(String(asset.body)).not.toContain('node:');
  }
  const again = await server().get('/', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
});

test('GET /?…&plain=1 renders the journeys that GET /search has, and a problem beside its field', async () => {
  const search = 'origin=Madrid&destination=Barcelona';
  const document = await server().get(`/search?${search}&order=departure`);
  const page = await server().get(`/?${search}&order=departure&plain=1`);
  const ids = [...(page.body as string).matchAll(/<li class="journey[^"]*" id="([^"]+)"/g)].map(
    ([, id]) => id,
  );
  expect(ids).toEqual(document.body.journeys.map(({ id }: { id: string }) => id));
  for (const [wrong, note] of [
    ['origin=Madrit&destination=Barcelona', 'origin-note'],
    [`${search}&date=2020-01-01`, 'date-note'],
    [`${search}&passengers=ten`, 'passengers-note'],
    ['origin=Madrid', 'destination-note'],
  ]) {
    const { status: code, body } = await server().get(`/?${wrong}&plain=1`);
    expect([code, (body as string).includes(`id="${note}"`)]).toEqual([400, true]);
  }
});
