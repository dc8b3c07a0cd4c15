import {
  type Carrier,
  CarrierError,
  type CarrierErrorCode,
  type CarrierState,
  createSearch,
} from '@ticketing/core';
import { expect, test } from 'vitest';
import { useFakeClock } from './fake-clock.ts';
import { carrier, offer, query, renfe, train } from './trains.ts';

const silent = carrier('silent', async () => []);

useFakeClock();

const states: [CarrierErrorCode, CarrierState][] = [
  ['TIMEOUT', 'timeout'],
  ['ABORTED', 'error'],
  ['NETWORK', 'error'],
  ['HTTP', 'error'],
  ['RATE_LIMITED', 'error'],
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
  [{ code: 'RATE_LIMITED', message: 'later' }, 'error', 'RATE_LIMITED'],
  [{ code: 'NO_RESULTS', message: 'none' }, 'empty', 'NO_RESULTS'],
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
test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['text', 'journeys'],
  ['journeys that are no list', { journeys: { length: 1 } }],
  ['a journey that is null', { journeys: [null] }],
  ['a journey without anything', { journeys: [{}] }],
  ['a journey without time', { journeys: [{ ...journey, departure: undefined }] }],
  [
    'a journey without number as time',
    { journeys: [{ ...journey, arrival: { ms: 'x', iso: '' } }] },
  ],
  ['a journey without duration', { journeys: [{ ...journey, durationMinutes: Number.NaN }] }],
  ['a leg that is null', { journeys: [{ ...journey, legs: [null] }] }],
  ['a leg of a strange kind', { journeys: [{ ...journey, legs: [{ ...leg, kind: 'flight' }] }] }],
  ['a brand that is null', { journeys: [{ ...journey, legs: [{ ...leg, brand: null }] }] }],
  ['an offer that is null', { journeys: [{ ...journey, offers: [null] }] }],
  [
    'an offer without price',
    { journeys: [{ ...journey, offers: [{ ...offer('a', 1), total: {} }] }] },
  ],
  ['sources that are no list', { journeys: [{ ...journey, sources: null }] }],
  ['sources that are no texts', { journeys: [{ ...journey, sources: [1] }] }],
])('search() reports a carrier that answers %s as an error', async (_what, answer) => {
  const garbage: Carrier = { ...silent, id: 'garbage', normalise: () => answer as never };
  const result = await createSearch({ carriers: [garbage, renfe, renfe2()] }).search(query);
  expect(result.carriers[0]).toMatchObject({
    state: 'error',
    error: {
      code: 'INTERNAL',
      message: expect.stringMatching(/^Cannot read garbage: `journeys/),
    },
  });
  expect(result.journeys).toHaveLength(2);
});
function renfe2(): Carrier {
  return { ...renfe, id: 'renfe2' };
}
