import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import { DispatchError } from '@ticketing/dispatch';
import { expect, test } from 'vitest';
import { verdictOf } from '../src/guard/verdict-of.ts';

/** Every code of a carrier, and what it shows of the carrier. */
const outcomes = {
  TIMEOUT: 'failure',
  NETWORK: 'failure',
  HTTP: 'failure',
  OVERLOADED: 'failure',
  UPSTREAM: 'failure',
  PROTOCOL: 'failure',
  AUTH: 'failure',
  INTERNAL: 'failure',
  RATE_LIMITED: 'throttled',
  NO_RESULTS: 'success',
  NOT_SERVED: 'success',
  DATE_OUT_OF_RANGE: 'success',
  BAD_REQUEST: 'success',
  ABORTED: 'ignored',
  CIRCUIT_OPEN: 'ignored',
} as const satisfies Record<CarrierErrorCode, string>;

test.each(Object.entries(outcomes))('a carrier’s %s is a %s', (code, outcome) => {
  const error = new CarrierError(code as CarrierErrorCode, 'x');
  expect(verdictOf(error).outcome).toBe(outcome);
  // An error that crossed from a worker is plain data, or an Error without its class.
  expect(verdictOf({ code, message: 'x' }).outcome).toBe(outcome);
});

test('a status below 500 is an answer, one from 500 on a failure', () => {
  const statuses = [404, 499, 500, 502].map(
    (httpStatus) => verdictOf(new CarrierError('HTTP', 'x', { httpStatus })).outcome,
  );
  expect(statuses).toEqual(['success', 'success', 'failure', 'failure']);
});

test('a failure is retried if its error may be, and not if the carrier asked to wait', () => {
  const of = (code: CarrierErrorCode, retryAfterMs?: number) =>
    verdictOf(new CarrierError(code, 'x', { retryAfterMs })).retryable;
  expect([of('NETWORK'), of('TIMEOUT'), of('UPSTREAM')]).toEqual([true, true, true]);
  expect([of('AUTH'), of('PROTOCOL'), of('OVERLOADED', 1000)]).toEqual([false, false, false]);
});

test('a pause is as long as the carrier asked for', () => {
  const limited = (retryAfterMs?: number) =>
    verdictOf(new CarrierError('RATE_LIMITED', 'x', { retryAfterMs }));
  expect(limited(5000)).toEqual({ outcome: 'throttled', retryAfterMs: 5000 });
  expect(limited()).toEqual({ outcome: 'throttled' });
});

test('errors of a dispatcher show nothing of the carrier, unless a call came to its time', () => {
  const of = (code: string) =>
    verdictOf(new DispatchError(code as never, 'x', { data: {} as never })).outcome;
  const own = ['ERR_QUEUE_FULL', 'ERR_WORKER_LOST', 'ERR_NO_HOST', 'ERR_CIRCUIT_OPEN'].map(of);
  expect(own).toEqual(['ignored', 'ignored', 'ignored', 'ignored']);
  expect(['ERR_TIMEOUT', 'ERR_RUN_TIMEOUT'].map(of)).toEqual(['failure', 'failure']);
  const cause = new DispatchError('ERR_NO_HOST', 'x', { data: {} as never });
  const waited = new DispatchError('ERR_TIMEOUT', 'x', { data: {} as never, cause });
  expect(verdictOf(waited).outcome).toBe('ignored');
});
