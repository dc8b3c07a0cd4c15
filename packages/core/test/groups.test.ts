import {
  type Carrier,
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  createJourney,
  createSearch,
  type Station,
  type StationGroup,
} from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test, vi } from 'vitest';
import { barcelona, madrid, NOW, query, train } from './trains.ts';

useFakeClock(NOW);

const member = (name: string, codes: Readonly<Record<string, string>>): Station => ({
  ...madrid,
  id: `x:${name}`,
  name,
  codes,
});
const [chamartin, far, elsewhere] = [
  member('chamartin', { renfe: '17000' }),
  member('far', { renfe: '17001' }),
  member('elsewhere', { ouigo: '9' }),
];
const city: StationGroup = {
  ...madrid,
  id: 'city:es:madrid',
  name: 'Madrid (city)',
  codes: { renfe: 'MADRI', hafas: '8000' },
  members: [madrid, elsewhere, chamartin, far],
};
const coast: StationGroup = {
  ...barcelona,
  id: 'city:es:barcelona',
  name: 'Barcelona (city)',
  codes: {},
  members: [barcelona, member('franca', { renfe: '79400' }), member('clot', { renfe: '79009' })],
};

/** A carrier that remembers its questions; `answer` may throw. */
function asked(
  id: string,
  answer: (query: CarrierQuery, signal: AbortSignal) => CarrierAnswer | Promise<CarrierAnswer>,
  capabilities: Carrier['capabilities'] = {},
) {
  const pairs: string[] = [];
  const carrier: Carrier = {
    id,
    name: id,
    capabilities,
    async request(one, { signal }) {
      pairs.push(`${one.origin.id} ${one.destination.id}`);
      return answer(one, signal);
    },
    normalise: (wire) => wire as CarrierAnswer,
  };
  return { carrier, pairs };
}
const trainOf = ({ origin, destination }: CarrierQuery): CarrierAnswer => ({
  journeys: [train({ number: '1', origin: origin.id, destination: destination.id })],
});
const search = (carrier: Carrier, ends: Partial<typeof query> | object) =>
  createSearch({ carriers: [carrier] }).search({ ...query, ...ends });

test('a group is asked by the members that the carrier has a code for, merged into one answer', async () => {
  const renfe = asked('renfe', trainOf);
  const { journeys, carriers, places } = await search(renfe.carrier, { origin: city });
  expect(renfe.pairs).toEqual([
    `${madrid.id} ${barcelona.id}`,
    `x:chamartin ${barcelona.id}`,
    `x:far ${barcelona.id}`,
  ]);
  expect(carriers).toEqual([{ carrier: 'renfe', state: 'ok', ms: 0, found: 3 }]);
  expect(journeys).toHaveLength(3);
  expect(places['x:far']?.name).toBe('far');
});

test('a group is asked by its own code where the carrier understands it', async () => {
  const capabilities = { stationSystem: 'hafas', groupCodes: true } as const;
  const hafas = asked('oebb', () => ({ journeys: [] }), capabilities);
  await search(hafas.carrier, { origin: city });
  expect(hafas.pairs).toEqual([`${city.id} ${barcelona.id}`]);
  const codeless = asked('oebb', () => ({ journeys: [] }), {
    ...capabilities,
    stationSystem: 'renfe',
  });
  await search(codeless.carrier, { origin: coast, destination: city });
  expect(codeless.pairs.map((pair) => pair.split(' ')[1])).toEqual([city.id, city.id, city.id]);
});

test('two groups are asked by four pairs at most, the most important ones', async () => {
  const renfe = asked('renfe', trainOf);
  await search(renfe.carrier, { origin: city, destination: coast });
  expect(renfe.pairs).toEqual([
    `${madrid.id} ${barcelona.id}`,
    `${madrid.id} x:franca`,
    `x:chamartin ${barcelona.id}`,
    `${madrid.id} x:clot`,
  ]);
  const near = asked('renfe', trainOf);
  await search(near.carrier, { origin: city, destination: chamartin });
  expect(near.pairs).toEqual([`${madrid.id} x:chamartin`, 'x:far x:chamartin']);
});

test('a carrier without a code for any member is not asked, and is empty', async () => {
  const sncf = asked('sncf', trainOf);
  const { carriers, complete } = await search(sncf.carrier, { origin: city });
  expect(sncf.pairs).toEqual([]);
  expect(carriers[0]).toMatchObject({
    state: 'empty',
    error: { code: 'NOT_SERVED', message: 'Carrier `sncf` serves no station of Madrid (city)' },
  });
  expect(complete).toBe(true);
});

test('a member without trains counts as none, unless no member has any', async () => {
  const notServed = new CarrierError('NOT_SERVED', 'no line');
  const some = asked('renfe', (one) => {
    if (one.origin.id === 'x:far') return trainOf(one);
    throw notServed;
  });
  expect(await search(some.carrier, { origin: city })).toMatchObject({
    carriers: [{ state: 'ok', found: 1 }],
  });
  const none = asked('renfe', () => {
    throw notServed;
  });
  expect(await search(none.carrier, { origin: city })).toMatchObject({
    carriers: [{ state: 'empty', error: { code: 'NOT_SERVED' } }],
  });
});

test('a member that fails makes the carrier fail at once, and aborts its other requests', async () => {
  const signals: AbortSignal[] = [];
  const renfe = asked('renfe', (one, signal) => {
    signals.push(signal);
    if (one.origin.id === 'x:far') throw new CarrierError('RATE_LIMITED', 'slower');
    return new Promise<CarrierAnswer>(() => {});
  });
  const { carriers, complete } = await search(renfe.carrier, { origin: city });
  expect(carriers[0]).toMatchObject({ state: 'rate-limited', error: { code: 'RATE_LIMITED' } });
  expect(complete).toBe(false);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});

test('leaving aborts the requests for every member', async () => {
  const signals: AbortSignal[] = [];
  const renfe = asked('renfe', (_one, signal) => {
    signals.push(signal);
    return new Promise<CarrierAnswer>(() => {});
  });
  const caller = new AbortController();
  const result = createSearch({ carriers: [renfe.carrier] }).search(
    { ...query, origin: city },
    { signal: caller.signal },
  );
  await vi.waitFor(() => expect(signals).toHaveLength(3));
  caller.abort(new Error('left'));
  await expect(result).rejects.toThrow('left');
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});

test('places, counts and covers of all members are joined', async () => {
  const renfe = asked('renfe', ({ origin }) => ({
    journeys: [],
    places: [{ id: `p:${origin.id}`, name: 'P' }],
    filtered: 2,
    leftOut: { 'without a train': 1, [`from ${origin.id}`]: 1 },
    ...(origin.id !== 'x:far' && {
      covers: origin.id === madrid.id ? { fromMs: 0, untilMs: 9 } : { fromMs: 5, untilMs: 12 },
    }),
  }));
  expect((await search(renfe.carrier, { origin: city })).carriers).toEqual([
    {
      carrier: 'renfe',
      state: 'empty',
      ms: 0,
      found: 0,
      filtered: 6,
      leftOut: {
        'without a train': 3,
        [`from ${madrid.id}`]: 1,
        'from x:chamartin': 1,
        'from x:far': 1,
      },
      covers: { fromMs: 5, untilMs: 9 },
    },
  ]);
  const apart = asked('renfe', ({ origin }) => ({
    journeys: [],
    covers: origin.id === madrid.id ? { fromMs: 0, untilMs: 3 } : { fromMs: 5, untilMs: 12 },
  }));
  expect((await search(apart.carrier, { origin: city })).carriers[0]?.covers).toEqual({
    fromMs: 5,
    untilMs: 5,
  });
});

test('of several members the failure of the first that has one counts, and journeys of all stay', async () => {
  const { carrier } = asked('renfe', ({ origin }) => ({
    journeys: [train({ number: origin.id.slice(-3) })],
    ...(origin.id !== madrid.id && {
      failure: { code: 'HTTP' as const, message: origin.id, retryable: true },
    }),
  }));
  const { carriers, journeys, complete } = await search(carrier, { origin: city });
  expect(carriers).toMatchObject([{ state: 'ok', error: { code: 'HTTP', retryable: true } }]);
  expect(carriers[0]?.found).toBeGreaterThan(1);
  expect([journeys.length > 0, complete]).toEqual([true, false]);
});

test('via a group is at any of its stations, also for carriers that understand a via of one station', async () => {
  const seen: unknown[] = [];
  const changing = (at: string) => {
    const [first] = train({ destination: at, until: '2026-12-01T07:00' }).legs;
    const [second] = train({ origin: at, at: '2026-12-01T07:30' }).legs;
    return createJourney({
      source: 'renfe',
      legs: [first, second].flatMap((leg) => leg ?? []),
      offers: [],
    });
  };
  const renfe = asked(
    'renfe',
    (one) => {
      seen.push(one.via);
      return { journeys: [changing('x:far'), changing('x:elsewhere'), changing('x:other')] };
    },
    { native: ['via'] },
  );
  const via = { ...city, id: 'city:es:middle', members: [far, elsewhere] };
  const { journeys } = await search(renfe.carrier, { via });
  expect(seen).toEqual([undefined]);
  expect(journeys.map(({ legs }) => legs[0]?.destination)).toEqual(['x:far', 'x:elsewhere']);
  await expect(search(renfe.carrier, { via: city })).rejects.toMatchObject({
    code: 'ERR_BAD_QUERY',
    data: { parameter: 'via' },
  });
});
