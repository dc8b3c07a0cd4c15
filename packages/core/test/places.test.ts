import {
  type Carrier,
  createSearch,
  type Journey,
  type Place,
  type RideLeg,
  type SearchEvent,
} from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { barcelona, madrid, NOW, query, train } from './trains.ts';

useFakeClock(NOW);

interface Answering {
  readonly journeys: readonly Journey[];
  readonly places?: readonly Place[];
  readonly operators?: Readonly<Record<string, string>>;
  readonly afterMs?: number;
}

function answering(id: string, { afterMs = 0, ...answer }: Answering): Carrier {
  return {
    id,
    name: id,
    request: () =>
      new Promise((resolve) => {
        setTimeout(() => resolve(undefined), afterMs);
      }),
    normalise: () => answer,
  };
}

async function read(events: AsyncIterable<SearchEvent>): Promise<SearchEvent[]> {
  const seen: SearchEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

async function both(carriers: readonly Carrier[]) {
  const search = createSearch({ carriers });
  const asked = Promise.all([search.search(query), read(search.stream(query))]);
  await vi.advanceTimersByTimeAsync(100);
  const [result, events] = await asked;
  return {
    result,
    events,
    upserts: events.flatMap((event) => (event.type === 'journeys-upsert' ? [event.places] : [])),
  };
}

const to = (destination: string, parts: Parameters<typeof train>[0] = {}) =>
  train({ number: '1', destination, ...parts });

test('places name every station of legs: of the query, of the answer, else its id', async () => {
  const places = [
    { id: 'x:1', name: 'One', zone: 'Europe/Paris' },
    { id: 'x:9', name: 'Unused' },
    { id: madrid.id, name: 'Not the name of the query' },
  ];
  const { result, upserts } = await both([
    answering('a', { journeys: [to('x:1'), to('x:2', { number: '2' })], places }),
  ]);
  const { id, name, zone, latitude, longitude } = madrid;
  expect(result.places).toEqual({
    [id]: { id, name, zone, latitude, longitude },
    'x:1': places[0],
    'x:2': { id: 'x:2', name: 'x:2' },
  });
  expect(upserts).toEqual([result.places]);
  expect(structuredClone(result.places)).toEqual(result.places);
});

test('a stream names each station once, and again only by the better name of a carrier before', async () => {
  const one = { id: 'x:1', name: 'One' };
  const { result, upserts } = await both([
    answering('first', { journeys: [to('x:1')], places: [{ ...one, name: 'Uno' }], afterMs: 9 }),
    answering('second', { journeys: [to('x:1', { number: '2' })], places: [one], afterMs: 1 }),
    answering('third', { journeys: [to('x:1', { number: '3' })], places: [one], afterMs: 5 }),
  ]);
  expect(upserts.map((places) => Object.values(places).map(({ name }) => name))).toEqual([
    [madrid.name, 'One'],
    [],
    ['Uno'],
  ]);
  expect(result.places['x:1']).toEqual({ id: 'x:1', name: 'Uno' });
});

test('the names of members of a group are known', async () => {
  const city = { ...madrid, id: 'city:es:madrid', name: 'Madrid', members: [madrid] };
  const carriers = [answering('renfe', { journeys: [train({ number: '1' })] })];
  const asked = createSearch({ carriers }).search({ ...query, origin: city });
  await vi.advanceTimersByTimeAsync(1);
  const { places } = await asked;
  expect(Object.values(places).map(({ name }) => name)).toEqual([madrid.name, barcelona.name]);
});

test('places of a stream add up to the places of the search, in any order of answers', async () => {
  const ids = ['x:1', 'x:2', 'x:3', madrid.id];
  const answers = fc.record({
    afterMs: fc.integer({ min: 0, max: 20 }),
    journeys: fc.array(
      fc.record({
        number: fc.constantFrom('1', '2', undefined),
        destination: fc.constantFrom(...ids.slice(0, 3)),
      }),
      { maxLength: 3 },
    ),
    places: fc.uniqueArray(
      fc.record({ id: fc.constantFrom(...ids), name: fc.constantFrom('A', 'B') }),
      { selector: ({ id }) => id, maxLength: 3 },
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 4 }), async (list) => {
      const { result, upserts } = await both(
        list.map(({ journeys, ...rest }, index) =>
          answering(`c${index}`, {
            ...rest,
            journeys: journeys.map(({ number, destination }) =>
              train({ source: `c${index}`, destination, ...(number && { number }) }),
            ),
          }),
        ),
      );
      expect(Object.assign({}, ...upserts)).toEqual(result.places);
      const used = new Set(
        result.journeys.flatMap(({ legs }) => legs.flatMap((leg) => [leg.origin, leg.destination])),
      );
      expect(new Set(Object.keys(result.places))).toEqual(used);
      for (const [id, place] of Object.entries(result.places)) expect(place.id).toBe(id);
    }),
    { numRuns: 100 },
  );
});

test('a train of two carriers that know its stop under two ids is one journey, in a result and in a stream', async () => {
  const stop = { name: 'Wolfurt', latitude: 47.4571, longitude: 9.741 };
  const other = { ...stop, name: 'Wolfurt Bahnhst', latitude: 47.4581 };
  const { result, upserts } = await both([
    answering('a', { journeys: [to('x:1', { source: 'a' })], places: [{ id: 'x:1', ...stop }] }),
    answering('b', {
      journeys: [to('y:1', { source: 'b' })],
      places: [{ id: 'y:1', ...other }],
      afterMs: 5,
    }),
  ]);
  expect(result.journeys.map(({ sources }) => sources)).toEqual([['a', 'b']]);
  expect(upserts).toHaveLength(2);
});

test('places name the stations of stops and sections, and operators are named that legs have', async () => {
  const [ride] = to('x:1').legs;
  const part = (origin: string, destination: string, parts: Partial<RideLeg> = {}) => {
    const { kind: _, ...section } = { ...(ride as RideLeg), origin, destination, ...parts };
    return section;
  };
  const through = to('x:1', {
    operator: 'op1',
    stops: [{ station: 'x:2' }],
    sections: [
      part(madrid.id, 'x:3', { operator: 'op2', stops: [{ station: 'x:4' }] }),
      part('x:5', 'x:1'),
    ],
  });
  const operators = { op1: 'One', op2: 'Two', op3: 'Unused' };
  const places = [{ id: 'x:2', name: 'Two' }];
  const carriers = [
    answering('a', { journeys: [to('x:1', { number: '9' }), through], places, operators }),
  ];
  const search = createSearch({ carriers });
  const asked = Promise.all([
    search.search({ ...query, stops: true }),
    read(search.stream({ ...query, stops: true })),
  ]);
  await vi.advanceTimersByTimeAsync(100);
  const [result, events] = await asked;
  const ids = [madrid.id, 'x:1', 'x:2', 'x:3', 'x:4', 'x:5'];
  expect(Object.keys(result.places).sort()).toEqual(ids.toSorted());
  expect(result.places['x:2']).toEqual(places[0]);
  expect(result.operators).toEqual({ op1: 'One', op2: 'Two' });
  const upserts = events.filter((event) => event.type === 'journeys-upsert');
  expect(upserts).toMatchObject([{ places: result.places, operators: result.operators }]);
});

test('operators of a stream add up to the operators of the search, in any order of answers', async () => {
  const answers = fc.record({
    afterMs: fc.integer({ min: 0, max: 20 }),
    journeys: fc.array(
      fc.record({
        number: fc.constantFrom('1', '2', undefined),
        operator: fc.constantFrom('p', 'q', 'r', undefined),
      }),
      { maxLength: 3 },
    ),
    operators: fc.option(
      fc.dictionary(fc.constantFrom('p', 'q', '__proto__'), fc.constantFrom('A', 'B')),
      { nil: undefined },
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 4 }), async (list) => {
      const { result, events } = await both(
        list.map(({ journeys, operators, afterMs }, index) =>
          answering(`c${index}`, {
            afterMs,
            ...(operators && { operators }),
            journeys: journeys.map(({ number, operator }) =>
              train({
                source: `c${index}`,
                ...(number && { number }),
                ...(operator && { operator }),
              }),
            ),
          }),
        ),
      );
      const told = events.flatMap((event) =>
        event.type === 'journeys-upsert' ? [event.operators] : [],
      );
      expect(Object.assign({}, ...told)).toMatchObject(result.operators);
      const used = result.journeys.flatMap(({ legs }) =>
        legs.flatMap((leg) => (leg.kind === 'ride' && leg.operator) || []),
      );
      for (const [id, name] of Object.entries(result.operators)) {
        expect(used).toContain(id);
        expect(list.some(({ operators }) => operators?.[id] === name)).toBe(true);
      }
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['names', 'at most 1000 names of 1 to 500 characters by operator, got names'],
  [null, 'at most 1000 names of 1 to 500 characters by operator, got null'],
  [{ p: '' }, 'at most 1000 names of 1 to 500 characters by operator, got [object Object]'],
  [{ p: 5 }, 'at most 1000 names of 1 to 500 characters by operator, got [object Object]'],
  [
    { p: 'x'.repeat(501) },
    'at most 1000 names of 1 to 500 characters by operator, got [object Object]',
  ],
  [
    Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [index, 'x'])),
    'at most 1000 names of 1 to 500 characters by operator, got [object Object]',
  ],
])('operators that are wrong make their carrier fail: %o', async (operators, rule) => {
  const { result } = await both([
    answering('a', { journeys: [to('x:1')], operators: operators as never }),
    answering('b', { journeys: [to('x:1')] }),
  ]);
  expect(result.carriers).toMatchObject([
    {
      state: 'error',
      error: {
        code: 'INTERNAL',
        message: `Carrier \`a\` gave a wrong answer: \`operators\` must be ${rule}`,
      },
    },
    { state: 'ok' },
  ]);
});
