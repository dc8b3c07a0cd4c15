import { BatchingError } from '@ticketing/batching';
import { RailError } from '@ticketing/core';
import { DispatchError } from '@ticketing/dispatch';
import { expect, test } from 'vitest';
import { elsewhere } from '../src/answers/elsewhere.ts';
import { restoredError } from '../src/answers/restored-error.ts';
import { shared } from '../src/answers/shared.ts';
import { questionCodec } from '../src/answers/shared-by-redis.ts';
import { someAnswers } from './some-answers.ts';

const badQuery = new RailError('ERR_BAD_QUERY', 'Cannot search: `date` must be a day, got x', {
  parameter: 'date',
  expected: 'a day',
  got: 'x',
});
const full = new DispatchError('ERR_QUEUE_FULL', 'Cannot run askCarrier: the queue is full', {
  data: { name: 'fork', task: 'askCarrier', limit: 9 },
  cause: badQuery,
});
const late = new BatchingError('ERR_LOAD_TIMEOUT', 'Load of `document` did not finish', {
  data: { name: 'document' },
});
const through = (error: unknown): unknown =>
  questionCodec.decodeError(questionCodec.encodeError(error));

test('a failure that Redis has kept is of the class that it was, as are its code, data and stack', () => {
  for (const error of [badQuery, full, late]) {
    const { name, code, message, data, stack } = error;
    expect(through(error)).toMatchObject({ name, code, message, data, stack });
  }
  expect(RailError.is(through(badQuery))).toBe(true);
  expect(DispatchError.is(through(full))).toBe(true);
  expect(BatchingError.is(through(late))).toBe(true);
  expect(through(late)).toMatchObject({ statusCode: 504 });
  expect(DispatchError.is(through(badQuery))).toBe(false);
});

test('any other error, and what only looks like one, stays what it is', () => {
  const others = [
    Object.assign(new Error('busy'), { code: 'ERR_DATABASE_BUSY' }),
    Object.assign(new Error('no data'), { name: 'RailError', code: 'ERR_BAD_QUERY' }),
    Object.assign(new Error('no code'), { name: 'DispatchError', data: {} }),
    Object.assign(new Error('odd'), { name: 'constructor', code: 'X', data: {} }),
    ...[undefined, null, 'text', { name: 'RailError', code: 'X', data: {} }, badQuery, full, late],
  ];
  for (const other of others) expect(restoredError(other)).toBe(other);
});

test('an error of another process about a question is answered as one of this process', async () => {
  const crossed = Object.assign(new Error(badQuery.message), {
    name: 'RailError',
    code: badQuery.code,
    data: badQuery.data,
  });
  const dispatcher = { run: () => Promise.reject(crossed) };
  const { document } = shared(elsewhere(someAnswers({}), dispatcher as never));
  const { signal } = new AbortController();
  const station = { id: 'uic:1' };
  const question = { query: { origin: station, destination: station }, order: 'departure' };
  const asked = document(question as never, { signal, deadlineMs: 1000 });
  const error = await asked.catch((reason: unknown) => reason);
  expect([RailError.is(error), error]).toEqual([true, badQuery]);
});
