import {
  type Carrier,
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  createSearch,
  type Journey,
  type RoundTripQuery,
  type SearchOptions,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barcelona, carrier, madrid, NOW, offer, train } from './trains.ts';

const query: RoundTripQuery = {
  origin: madrid,
  destination: barcelona,
  date: '2026-12-01',
  returnDate: '2026-12-03',
};

function searchOf(carriers: readonly Carrier[], options: Partial<SearchOptions> = {}) {
  return createSearch({ carriers, now: () => NOW, ...options });
}

/** A train of a day, out or back by the ends. */
function on(date: string, hour: number, parts: Parameters<typeof train>[0] = {}): Journey {
  const at = `${date}T${String(hour).padStart(2, '0')}`;
  return train({ number: `${hour}`, at: `${at}:00`, until: `${at}:50`, ...parts });
}

const back = { origin: barcelona.id, destination: madrid.id };

/** Sells each way for 50, and both for 80; remembers what it was asked. */
function pairing(id: string, answer?: (query: CarrierQuery) => CarrierAnswer) {
  const asked: CarrierQuery[] = [];
  const sells = (amount: number) => ({ source: id, offers: [offer(id, amount)] });
  const one: Carrier = {
    id,
    name: id,
    capabilities: { asks: ['returns'], native: ['time'], window: 'page' },
    request: async (own) => void asked.push(own),
    normalise(_wire, own) {
      if (answer) return answer(own);
      const isBack = own.origin.id === barcelona.id;
      if (own.returns === undefined) {
        return { journeys: [on(own.date, 8, { ...sells(50), ...(isBack && back) })] };
      }
      return {
        journeys: [on(own.date, 8, { source: id })],
        returns: {
          journeys: [on(own.returns.date, 8, { source: id, ...back })],
          pairs: [{ outbound: 0, inbound: 0, offer: offer(id, 80) }],
        },
      };
    },
  };
  return { carrier: one, asked };
}

test('roundTrip() has both ways as searches have them, and pairs by the ids of their journeys', async () => {
  const { carrier: both, asked } = pairing('both');
  const single = carrier('single', async ({ date, origin }) => [
    on(date, 8, { source: 'single', ...(origin.id === barcelona.id && back) }),
  ]);
  await using search = searchOf([single, both]);
  const found = await search.roundTrip({ ...query, time: '07:00', returnTime: '06:30' });
  const { outbound, inbound, pairs, pairing: statuses, complete } = found;
  const ways = [
    { ...query, time: '07:00' },
    { origin: barcelona, destination: madrid, date: '2026-12-03', time: '06:30' },
  ] as const;
  for (const [at, way] of ways.entries()) {
    const { journeys } = await search.search(way);
    expect([outbound, inbound][at]?.journeys).toEqual(journeys);
  }
  expect(outbound.journeys).toMatchObject([{ sources: ['both', 'single'] }]);
  expect(pairs).toEqual([
    {
      outbound: outbound.journeys[0]?.id,
      inbound: inbound.journeys[0]?.id,
      offer: offer('both', 80),
    },
  ]);
  expect(statuses).toMatchObject([{ carrier: 'both', state: 'ok', found: 1 }]);
  expect(complete).toBe(true);
  expect(asked.find(({ returns }) => returns !== undefined)).toMatchObject({
    date: '2026-12-01',
    time: '07:00',
    returns: { date: '2026-12-03', time: '06:30' },
  });
});

test('without a carrier that prices both ways there are no pairs; the carriers are asked as they are chosen', async () => {
  const single = carrier('single', async () => []);
  const { carrier: both, asked } = pairing('both');
  await using search = searchOf([single, both]);
  const found = await search.roundTrip(query, { carriers: ['single'] });
  expect(Object.keys(found).sort()).toEqual(['complete', 'inbound', 'ms', 'outbound']);
  expect(asked).toEqual([]);
});

test('a carrier that fails to price both ways costs no way, and the trip is not complete', async () => {
  const { carrier: both } = pairing('both', (own) => {
    if (own.returns !== undefined) throw new CarrierError('UPSTREAM', 'no');
    return { journeys: [] };
  });
  await using search = searchOf([both]);
  const { outbound, inbound, pairs, pairing: statuses, complete } = await search.roundTrip(query);
  expect([outbound.complete, inbound.complete, complete]).toEqual([true, true, false]);
  expect([pairs, statuses]).toMatchObject([[], [{ state: 'error', error: { code: 'UPSTREAM' } }]]);
});

test('a pair of a journey that no result has is left out', async () => {
  const { carrier: both } = pairing('both', (own) => {
    if (own.returns === undefined) return { journeys: [on(own.date, 9, { source: 'both' })] };
    return {
      journeys: [on(own.date, 9, { source: 'both' }), on(own.date, 10, { source: 'both' })],
      returns: {
        journeys: [on(own.returns.date, 9, { source: 'both' })],
        pairs: [
          { outbound: 0, inbound: 0, offer: offer('both', 90) },
          { outbound: 1, inbound: 0, offer: offer('both', 10) },
        ],
      },
    };
  });
  await using search = searchOf([both]);
  const { pairs } = await search.roundTrip(query);
  expect(pairs?.map(({ offer: { total } }) => total.amount)).toEqual([90]);
});

test('pairs are of the cheapest offer of a seller, cheapest first, with prices in the currency of the search', async () => {
  const { carrier: both } = pairing('both', (own) => {
    const trains = [8, 9].map((hour) => on(own.date, hour, { source: 'both' }));
    if (own.returns === undefined) return { journeys: trains };
    return {
      journeys: trains,
      returns: {
        journeys: [8].map((hour) => on('2026-12-03', hour, { source: 'both' })),
        pairs: [
          { outbound: 0, inbound: 0, offer: offer('both', 9000) },
          { outbound: 0, inbound: 0, offer: offer('both', 8000, { id: 'less' }) },
          { outbound: 1, inbound: 0, offer: offer('both', 7000) },
        ],
      },
    };
  });
  const rates = {
    asOf: '2026-11-29',
    source: 'a bank',
    base: 'EUR',
    perBase: { CHF: '0.95' },
  };
  await using search = searchOf([both], { rates });
  const { pairs } = await search.roundTrip({ ...query, currency: 'CHF' });
  expect(pairs?.map(({ offer: { total, converted } }) => [total.amount, converted])).toEqual([
    [7000, { amount: 6650, currency: 'CHF' }],
    [8000, { amount: 7600, currency: 'CHF' }],
  ]);
});

test('one deadline and one signal are for both ways and the pairs', async () => {
  const signals: AbortSignal[] = [];
  const held: Carrier = {
    ...pairing('held').carrier,
    request: (_query, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  await using search = searchOf([held], { deadlineMs: 20 });
  const { outbound, inbound, pairing: statuses } = await search.roundTrip(query);
  const states = [...outbound.carriers, ...inbound.carriers, ...(statuses ?? [])];
  expect(states.map(({ state }) => state)).toEqual(['timeout', 'timeout', 'timeout']);
  const leaving = new AbortController();
  const left = search.roundTrip(query, { signal: leaving.signal, deadlineMs: 60_000 });
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect([signals.length, signals.every(({ aborted }) => aborted)]).toEqual([6, true]);
});

test.each([
  [{ returnDate: '2026-11-30' }, 'returnDate'],
  [{ returnDate: '2026-12-32' }, 'returnDate'],
  [{ returnDate: '2028-01-01' }, 'returnDate'],
  [{ returnDate: undefined }, 'returnDate'],
  [{ returnTime: '7' }, 'returnTime'],
  [{ date: '2026-11-01' }, 'date'],
  [{ page: {} }, 'page'],
])('a wrong round trip is refused before a carrier is asked: %j', async (wrong, parameter) => {
  const { carrier: both, asked } = pairing('both');
  await using search = searchOf([both]);
  await expect(
    search.roundTrip({ ...query, ...wrong } as unknown as RoundTripQuery),
  ).rejects.toMatchObject({ code: 'ERR_BAD_QUERY', data: { parameter } });
  expect(asked).toEqual([]);
});

test.each([
  [{ journeys: [] }, '`returns` '],
  [{ journeys: [], returns: { journeys: [], pairs: [{ outbound: 0, inbound: 0 }] } }, 'outbound'],
  [
    {
      journeys: [on('2026-12-01', 8)],
      returns: { journeys: [], pairs: [{ outbound: 0, inbound: 0 }] },
    },
    'inbound',
  ],
])('a wrong answer fails its carrier: %j', async (answer, path) => {
  const { carrier: both } = pairing('both', (own) =>
    own.returns === undefined ? { journeys: [] } : (answer as CarrierAnswer),
  );
  await using search = searchOf([both]);
  const { pairing: statuses } = await search.roundTrip(query);
  expect(statuses?.[0]?.error?.message).toContain(path);
});

test('after close() a round trip is refused', async () => {
  const search = searchOf([pairing('both').carrier]);
  await search.close();
  await expect(search.roundTrip(query)).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});

test('roundTrip() equals two searches, and each pair is priced by a seller, whatever is sold', async () => {
  const hours = fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 4 });
  const aSeller = fc.record({
    out: hours,
    back: hours,
    pairs: fc.array(fc.tuple(fc.nat(4), fc.nat(4), fc.integer({ min: 1, max: 20 })), {
      maxLength: 8,
    }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(aSeller, { minLength: 1, maxLength: 3 }), async (sellers) => {
      const expected = new Map<string, number>();
      const carriers = sellers.map((seller, index) => {
        const id = `s${index}`;
        const out = seller.out.map((hour) => on('2026-12-01', hour, { source: id }));
        const home = seller.back.map((hour) => on('2026-12-03', hour, { source: id, ...back }));
        const sold = seller.pairs.filter(([a, b]) => a < out.length && b < home.length);
        for (const [a, b, amount] of sold) {
          const key = `${seller.out[a]} ${seller.back[b]} ${id}`;
          expected.set(key, Math.min(amount, expected.get(key) ?? amount));
        }
        const pairs = sold.map(([outbound, inbound, amount], at) => ({
          ...{ outbound, inbound },
          offer: offer(id, amount, { id: `${at}` }),
        }));
        return pairing(id, (own) => {
          const journeys = own.origin.id === madrid.id ? out : home;
          return own.returns ? { journeys, returns: { journeys: home, pairs } } : { journeys };
        }).carrier;
      });
      await using search = searchOf(carriers);
      const found = await search.roundTrip(query);
      const ways = [query, { origin: barcelona, destination: madrid, date: '2026-12-03' }] as const;
      const [out, home] = await Promise.all(ways.map((way) => search.search(way)));
      expect([found.outbound.journeys, found.inbound.journeys]).toEqual([
        out?.journeys,
        home?.journeys,
      ]);
      const hourOf = (journeys: readonly Journey[], id: string) =>
        Number(journeys.find((journey) => journey.id === id)?.departure.iso.slice(11, 13));
      const got = (found.pairs ?? []).map(({ outbound, inbound, offer: { seller, total } }) => [
        `${hourOf(found.outbound.journeys, outbound)} ${hourOf(found.inbound.journeys, inbound)} ${seller}`,
        total.amount,
      ]);
      expect(new Map(got as [string, number][])).toEqual(expected);
      expect(got).toHaveLength(expected.size);
    }),
    { numRuns: 30 },
  );
});
