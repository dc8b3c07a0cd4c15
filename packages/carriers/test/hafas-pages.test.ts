import type { Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { askedJourneys, type HafasAsk, readToken } from '../src/hafas/pages.ts';

const AT = Date.UTC(2026, 11, 1, 12);
const UNTIL = AT + 3_600_000;
/** An hour long. */
const journeyAt = (departureMs: number): Journey =>
  ({
    id: `${departureMs}`,
    departure: { ms: departureMs },
    arrival: { ms: departureMs + 3_600_000 },
  }) as Journey;
const departing = [AT - 1, AT, AT + 1, UNTIL - 1, UNTIL, UNTIL + 1];
const arriving = [AT - 1, AT, AT + 1];

/** Which of the instants are those of journeys that were asked for. */
const askedDepartures = (ask: HafasAsk): number[] =>
  askedJourneys(departing.map(journeyAt), ask).map(({ departure }) => departure.ms);
const askedArrivals = (ask: HafasAsk): number[] =>
  askedJourneys(
    arriving.map((ms) => journeyAt(ms - 3_600_000)),
    ask,
    true,
  ).map(({ arrival }) => arrival.ms);

test.each<[what: string, ask: HafasAsk, departures: readonly number[]]>([
  ['a day', { kind: 'day', atMs: AT, untilMs: UNTIL }, [AT, AT + 1, UNTIL - 1]],
  [
    'what is before an instant',
    { kind: 'before', atMs: AT, untilMs: UNTIL },
    [AT, AT + 1, UNTIL - 1],
  ],
  ['a time', { kind: 'time', atMs: AT }, departing.slice(1)],
  ['a later page without a context', { kind: 'later', atMs: AT }, departing],
  ['a later page', { kind: 'later', atMs: AT, context: 'c' }, departing],
  ['an earlier page', { kind: 'earlier', atMs: AT, context: 'c' }, departing],
])('of departures for %s, those in it are kept, to the millisecond', (_what, ask, departures) => {
  expect(askedDepartures(ask)).toEqual(departures);
});

test.each<[what: string, ask: HafasAsk, arrivals: readonly number[]]>([
  ['until a time', { kind: 'arrive-by', atMs: AT }, [AT - 1, AT]],
  ['after an instant', { kind: 'later', atMs: AT }, [AT + 1]],
  ['on a later page', { kind: 'later', atMs: AT, context: 'c' }, arriving],
])('of arrivals %s, those in it are kept, to the millisecond', (_what, ask, arrivals) => {
  expect(askedArrivals(ask)).toEqual(arrivals);
});

test('a journey that two pages have is kept once', () => {
  const twice = [journeyAt(AT), journeyAt(AT + 1), journeyAt(AT)];
  expect(askedJourneys(twice, { kind: 'time', atMs: AT })).toEqual(twice.slice(0, 2));
});

test.each([
  ['later', `${AT}|c`, { kind: 'later', atMs: AT, context: 'c' }],
  ['later', `${AT}|`, { kind: 'later', atMs: AT }],
  ['earlier', `${AT}|a|b`, { kind: 'earlier', atMs: AT, context: 'a|b' }],
  ['earlier', `${AT}|`, { kind: 'before', atMs: AT, untilMs: AT }],
  ['later', '130000000001|', { kind: 'later', atMs: 130_000_000_001 }],
  ['later', '7099999999999|', { kind: 'later', atMs: 7_099_999_999_999 }],
] as const)('a token of the page %s, %s, is read', (direction, token, ask) => {
  expect(readToken('hafas', { direction, token }, false)).toEqual(ask);
});

test.each([
  ['later', '', false],
  ['later', 'c', false],
  ['later', '|c', false],
  ['later', '130000000000|c', false],
  ['later', '7100000000000|c', false],
  ['later', `${AT}.5|c`, false],
  ['earlier', `${AT}|`, true],
] as const)('a token of the page %s, %j, is none of ours', (direction, token, arriveBy) => {
  expect(() => readToken('hafas', { direction, token }, arriveBy)).toThrow(
    'Cannot ask `hafas`: `page` is not a page of it',
  );
});
