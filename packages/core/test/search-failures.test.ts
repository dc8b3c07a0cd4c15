import {
  type Carrier,
  CarrierError,
  type CarrierErrorCode,
  type CarrierState,
  createSearch,
} from '@ticketing/core';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import { expect, test } from 'vitest';
import { carrier, NOW, offer, query, renfe, train } from './trains.ts';

const silent = carrier('silent', async () => []);

useFakeClock(NOW);

const states: [CarrierErrorCode, CarrierState][] = [
  ['TIMEOUT', 'timeout'],
  ['ABORTED', 'error'],
  ['NETWORK', 'error'],
  ['HTTP', 'error'],
  ['RATE_LIMITED', 'rate-limited'],
  ['CIRCUIT_OPEN', 'circuit-open'],
  ['AUTH', 'error'],
  ['BAD_REQUEST', 'error'],
  ['NO_RESULTS', 'empty'],
  ['NOT_SERVED', 'empty'],
  ['DATE_OUT_OF_RANGE', 'empty'],
  ['PROTOCOL', 'error'],
  ['OVERLOADED', 'rejected-busy'],
  ['INTERNAL', 'error'],
];
test.each(states)('search() reports a carrier that rejects with %s as %s', async (code, state) => {
  const failing = carrier('failing', () => Promise.reject(new CarrierError(code, 'because')));
  const result = await createSearch({ carriers: [renfe, failing] }).search(query);
  expect(result.journeys).toHaveLength(2);
  expect(result.complete).toBe(state === 'empty');
  expect(result.carriers[1]).toEqual({
    carrier: 'failing',
    state,
    ms: 0,
    found: 0,
    error: { code, message: 'because', retryable: new CarrierError(code, '').retryable },
  });
});

test.each<[unknown, CarrierState, CarrierErrorCode]>([
  [{ code: 'ERR_QUEUE_FULL' }, 'rejected-busy', 'OVERLOADED'],
  [{ code: 'ERR_OVERLOADED' }, 'rejected-busy', 'OVERLOADED'],
  [{ code: 'ERR_RUN_TIMEOUT', message: 'slow' }, 'timeout', 'TIMEOUT'],
  [{ code: 'RATE_LIMITED', message: 'later' }, 'rate-limited', 'RATE_LIMITED'],
  [{ code: 'ERR_RATE_LIMITED', message: 'later' }, 'rate-limited', 'RATE_LIMITED'],
  [{ code: 'ERR_CIRCUIT_OPEN', message: 'later' }, 'circuit-open', 'CIRCUIT_OPEN'],
  [{ code: 'NO_RESULTS', message: 'none' }, 'empty', 'NO_RESULTS'],
  [{ code: 'ERR_MONEY', message: 'no amount' }, 'error', 'PROTOCOL'],
  ['text', 'error', 'INTERNAL'],
  [undefined, 'error', 'INTERNAL'],
  [Object.create(null), 'error', 'INTERNAL'],
])('search() understands %o, thrown as plain data', async (thrown, state, code) => {
  const failing = carrier('failing', () => Promise.reject(thrown));
  const { carriers } = await createSearch({ carriers: [failing] }).search(query);
  expect(carriers).toMatchObject([{ state, error: { code } }]);
});

test('search() survives what throws at once: request, normalise, run and http', async () => {
  const fail = (): never => {
    throw new Error('at once');
  };
  const statuses = async (options: Parameters<typeof createSearch>[0]) =>
    (await createSearch(options).search(query)).carriers.map(({ state, error }) => [
      state,
      error?.message,
    ]);
  const failed = ['error', 'at once'];
  expect(await statuses({ carriers: [carrier('a', fail)] })).toEqual([failed]);
  expect(await statuses({ carriers: [{ ...renfe, normalise: fail }] })).toEqual([failed]);
  expect(await statuses({ carriers: [renfe, silent], run: fail })).toEqual([failed, failed]);
  expect(await statuses({ carriers: [renfe, silent], http: fail })).toEqual([failed, failed]);
});

const journey = train({ number: '1', offers: [offer('a', 1)] });
const [leg] = journey.legs;
const wrongAnswer = (field: string, rule: string): string =>
  `Carrier \`garbage\` gave a wrong answer: \`${field}\` must be ${rule}`;
const wrong = (field: string, rule: string): string => wrongAnswer(`journeys[0]${field}`, rule);
const missing = (field: string): string =>
  `Carrier \`garbage\` gave a wrong answer: \`${field}\` is missing`;
const without = (field: string, index = 0): string => missing(`journeys[${index}].${field}`);
const priceless = { ...offer('a', 1), total: {} };
const { fetchedAt: _fetchedAt, ...undated } = offer('a', 1);

test.each<[what: string, answer: unknown, message: string]>([
  ['nothing', undefined, missing('journeys')],
  ['null', null, missing('journeys')],
  ['text', 'journeys', missing('journeys')],
  [
    'journeys that are no list',
    { journeys: { length: 1 } },
    wrongAnswer('journeys', 'a list, got [object Object]'),
  ],
  ['a journey that is null', { journeys: [null] }, wrong('', 'an object, got null')],
  ['a journey without anything', { journeys: [{}] }, without('id')],
  [
    'a journey without time',
    { journeys: [{ ...journey, departure: undefined }] },
    without('departure'),
  ],
  [
    'a journey without number as time',
    { journeys: [{ ...journey, arrival: { ms: 'x', iso: '' } }] },
    wrong('.arrival.ms', 'a number, got x'),
  ],
  [
    'a time without text',
    { journeys: [{ ...journey, arrival: { ms: 1 } }] },
    without('arrival.iso'),
  ],
  [
    'a journey without duration',
    { journeys: [{ ...journey, durationMinutes: Number.NaN }] },
    wrong('.durationMinutes', 'a number, got NaN'),
  ],
  [
    'legs that are no list',
    { journeys: [{ ...journey, legs: 'x' }] },
    wrong('.legs', 'a list, got x'),
  ],
  [
    'a leg that is null',
    { journeys: [{ ...journey, legs: [null] }] },
    wrong('.legs[0]', 'an object, got null'),
  ],
  [
    'a leg of a strange kind',
    { journeys: [{ ...journey, legs: [leg, { ...leg, kind: 'flight' }] }] },
    wrong('.legs[1].kind', 'ride or transfer, got flight'),
  ],
  [
    'a leg without arrival',
    { journeys: [{ ...journey, legs: [{ ...leg, arrival: undefined }] }] },
    without('legs[0].arrival'),
  ],
  [
    'a brand that is null',
    { journeys: [{ ...journey, legs: [{ ...leg, brand: null }] }] },
    wrong('.legs[0].brand', 'a text, got null'),
  ],
  [
    'a number that is no text',
    { journeys: [{ ...journey, legs: [{ ...leg, number: 7 }] }] },
    wrong('.legs[0].number', 'a text, got 7'),
  ],
  [
    'an operator that is no text',
    { journeys: [{ ...journey, legs: [{ ...leg, operator: false }] }] },
    wrong('.legs[0].operator', 'a text, got false'),
  ],
  ['no offers', { journeys: [{ ...journey, offers: undefined }] }, without('offers')],
  [
    'an offer that is null',
    { journeys: [{ ...journey, offers: [null] }] },
    wrong('.offers[0]', 'an object, got null'),
  ],
  [
    'an offer without seller',
    { journeys: [{ ...journey, offers: [{ id: 'x' }] }] },
    without('offers[0].seller'),
  ],
  [
    'an offer without total',
    { journeys: [{ ...journey, offers: [{ ...undated, total: undefined }] }] },
    without('offers[0].total'),
  ],
  [
    'an offer without price',
    { journeys: [{ ...journey, offers: [priceless] }] },
    without('offers[0].total.amount'),
  ],
  [
    'an offer without currency',
    { journeys: [{ ...journey, offers: [{ ...undated, total: { amount: 1 } }] }] },
    without('offers[0].total.currency'),
  ],
  [
    'an offer without the time of its answer',
    { journeys: [journey, { ...journey, offers: [offer('a', 1), undated] }] },
    without('offers[1].fetchedAt', 1),
  ],
  [
    'an offer that was fetched at a text',
    { journeys: [{ ...journey, offers: [{ ...undated, fetchedAt: '2026' }] }] },
    wrong('.offers[0].fetchedAt', 'a number, got 2026'),
  ],
  [
    'a journey without changes',
    { journeys: [{ ...journey, transfers: undefined }] },
    without('transfers'),
  ],
  [
    'a leg from nowhere',
    { journeys: [{ ...journey, legs: [{ ...leg, origin: undefined }] }] },
    without('legs[0].origin'),
  ],
  [
    'a transfer to nowhere',
    { journeys: [{ ...journey, legs: [leg, { kind: 'transfer', origin: 'a', minutes: 1 }] }] },
    without('legs[1].destination'),
  ],
  [
    'an expected time that is none',
    { journeys: [{ ...journey, legs: [{ ...leg, expectedDeparture: { ms: 1 } }] }] },
    without('legs[0].expectedDeparture.iso'),
  ],
  [
    'an expected arrival that is a text',
    { journeys: [{ ...journey, legs: [{ ...leg, expectedArrival: '07:00' }] }] },
    wrong('.legs[0].expectedArrival', 'an object, got 07:00'),
  ],
  [
    'a ride that is not cancelled',
    { journeys: [{ ...journey, legs: [{ ...leg, cancelled: false }] }] },
    wrong('.legs[0].cancelled', 'true, got false'),
  ],
  [
    'an unknown mode',
    { journeys: [{ ...journey, legs: [{ ...leg, mode: 'train' }] }] },
    wrong('.legs[0].mode', 'bus, tram, metro, ferry or other, got train'),
  ],
  [
    'other numbers that are no list',
    { journeys: [{ ...journey, legs: [{ ...leg, otherNumbers: '7' }] }] },
    wrong('.legs[0].otherNumbers', 'a list, got 7'),
  ],
  [
    'an offer for no rides',
    { journeys: [{ ...journey, offers: [offer('a', 1, { rides: [] })] }] },
    wrong('.offers[0].rides', 'a list of rides from 0 to 0, ascending, got []'),
  ],
  [
    'an offer for a ride that does not exist',
    { journeys: [{ ...journey, offers: [offer('a', 1, { rides: [1] })] }] },
    wrong('.offers[0].rides', 'a list of rides from 0 to 0, ascending, got 1'),
  ],
  [
    'an offer for one ride twice',
    { journeys: [{ ...journey, offers: [offer('a', 1, { rides: [0, 0] })] }] },
    wrong('.offers[0].rides', 'a list of rides from 0 to 0, ascending, got 0,0'),
  ],
  [
    'who knows no price as a text',
    { journeys: [{ ...journey, unpriced: 'a' }] },
    wrong('.unpriced', 'a list, got a'),
  ],
  [
    'places that are no list',
    { journeys: [], places: {} },
    wrongAnswer('places', 'a list, got [object Object]'),
  ],
  ['a place without a name', { journeys: [], places: [{ id: 'a' }] }, missing('places[0].name')],
  [
    'a place at a text',
    { journeys: [], places: [{ id: 'a', name: 'A', latitude: '40' }] },
    wrongAnswer('places[0].latitude', 'a number, got 40'),
  ],
  [
    'a token that is no text',
    { journeys: [], pages: { later: 7 } },
    wrongAnswer('pages.later', 'a text of at most 2048 characters, got 7'),
  ],
  [
    'an interval that ends before it begins',
    { journeys: [], covers: { fromMs: 2, untilMs: 1 } },
    wrongAnswer('covers', 'an interval of times, got [object Object]'),
  ],
  [
    'a count that is none',
    { journeys: [], filtered: -1 },
    wrongAnswer('filtered', 'a count, got -1'),
  ],
  [
    'reasons that count nothing',
    { journeys: [], filtered: 1, leftOut: { 'without a train': 'one' } },
    wrongAnswer('leftOut', 'counts by reason, got [object Object]'),
  ],
  [
    'a failure without a code',
    { journeys: [], failure: { message: 'late' } },
    missing('failure.code'),
  ],
  [
    'sources that are no list',
    { journeys: [{ ...journey, sources: null }] },
    wrong('.sources', 'a list, got null'),
  ],
  [
    'sources that are no texts',
    { journeys: [{ ...journey, sources: [1] }] },
    wrong('.sources[0]', 'a text, got 1'),
  ],
])(
  'search() reports a carrier that answers %s, and names the field',
  async (_what, answer, message) => {
    const garbage: Carrier = { ...silent, id: 'garbage', normalise: () => answer as never };
    const result = await createSearch({ carriers: [garbage, renfe, renfe2()] }).search(query);
    expect(result.carriers[0]).toMatchObject({
      state: 'error',
      error: { code: 'INTERNAL', message },
    });
    expect(result.journeys).toHaveLength(2);
  },
);
function renfe2(): Carrier {
  return { ...renfe, id: 'renfe2' };
}
