import { createTimetable } from '@ticketing/carrier-sim';
import { createJourney, createLocalClock, type Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import type { Question } from '../../chaos/load/questions.ts';
import { compareAnswer, type SearchAnswer } from '../../chaos/truth/compare.ts';
import { CARRIERS, createTruth } from '../../chaos/truth/expected-lines.ts';
import { readDocument, readStream } from '../../chaos/truth/read-search.ts';

const question: Question = {
  origin: '7160000',
  destination: '7171801',
  date: '2026-12-05',
  passengers: 1,
};
const truth = createTruth('1');
const clock = createLocalClock();

/** Journeys of one carrier, as an adapter makes them. */
function journeysOf(carrier: 'renfe' | 'ouigo'): Journey[] {
  const { origin, destination, date } = question;
  const at = (ms: number) => clock.fromEpoch(ms, 'Europe/Madrid');
  return createTimetable({ seed: '1' })
    .trains({ origin, destination, date, carrier })
    .map(({ number, departureMs, arrivalMs, fares }) =>
      createJourney({
        source: carrier,
        legs: [
          {
            ...{ kind: 'ride', number: number.replace(/^0+/, '') },
            ...{ origin: `uic:${origin}`, destination: `uic:${destination}` },
            ...{ departure: at(departureMs), arrival: at(arrivalMs) },
          },
        ],
        offers: fares.map(({ cents }, index) => ({
          ...{ id: String(index), seller: carrier, total: { amount: cents, currency: 'EUR' } },
          ...{ travelClass: 'second', flexibility: 'none', fetchedAt: 0 },
        })),
      }),
    );
}

const query = {
  origin: { id: 'uic:7160000' },
  destination: { id: 'uic:7171801' },
  date: '2026-12-05',
  passengers: [{}],
};
const empty = (carrier: string) => ({ carrier, state: 'empty', ms: 1, found: 0 }) as const;
const timeout = (carrier: string) => ({ carrier, state: 'timeout', ms: 1, found: 0 }) as const;
const ok = (carrier: string) => ({ carrier, state: 'ok', ms: 1, found: 1 }) as const;

/** An answer in which Renfe and Ouigo have answered and Avlo has not. */
function answerOf(more: Partial<SearchAnswer> = {}): SearchAnswer {
  return {
    query,
    journeys: [...journeysOf('renfe'), ...journeysOf('ouigo')],
    carriers: [
      ok('renfe'),
      ok('ouigo'),
      timeout('avlo'),
      empty('osdm'),
      empty('hafas'),
      empty('ojp'),
      empty('navitia'),
    ],
    complete: false,
    ...more,
  };
}
const factsOf = (more?: Partial<SearchAnswer>) =>
  compareAnswer(answerOf(more), { question, truth });

test('an answer of two carriers is a subset of the timetable, and the third one is missing', () => {
  expect(journeysOf('renfe').length).toBeGreaterThan(10);
  expect(factsOf()).toEqual({
    ...{ complete: false, missing: ['avlo'], paused: [], differences: [], ageMs: 0 },
    ...{ otherQuestion: undefined, stream: undefined },
  });
});

test('a train less, a train more, another price and another time are differences', () => {
  const journeys = journeysOf('ouigo');
  const [first] = journeys;
  if (first === undefined) throw new Error('no train');
  const with_ = (changed: Journey) => [...journeysOf('renfe'), changed, ...journeys.slice(1)];
  const kinds = (more: Partial<SearchAnswer>) =>
    factsOf(more).differences.map(({ carrier, kind }) => `${carrier} ${kind}`);
  expect(kinds({ journeys: [...journeysOf('renfe'), ...journeys.slice(1)] })).toEqual([
    'ouigo lacking',
  ]);
  const later = { ...first, departure: { ...first.departure, ms: first.departure.ms + 60_000 } };
  expect(kinds({ journeys: [...with_(first), later] })).toEqual(['ouigo extra']);
  const dearer = first.offers.map((offer) => ({
    ...offer,
    total: { amount: offer.total.amount + 1, currency: 'EUR' },
  }));
  expect(kinds({ journeys: with_({ ...first, offers: dearer }) })).toEqual([
    'ouigo extra',
    'ouigo lacking',
  ]);
});

test('a carrier that answers nothing lacks its trains; one without a status does so in a complete answer', () => {
  const carriers = answerOf().carriers.filter(({ carrier }) => carrier !== 'avlo');
  expect(factsOf({ carriers: [...carriers, empty('avlo')] }).differences.length).toBeGreaterThan(0);
  expect(factsOf({ carriers }).differences).toEqual([]);
  expect(factsOf({ carriers, complete: true }).differences.length).toBeGreaterThan(0);
});

test('an old answer in place of a failure is missing, and has an age', () => {
  const error = { code: 'TIMEOUT', retryable: true, message: '' } as const;
  const carriers = answerOf().carriers.map((status) =>
    status.carrier === 'renfe' ? { ...ok('renfe'), error, ageMs: 4000 } : status,
  );
  expect(factsOf({ carriers })).toMatchObject({ missing: ['renfe', 'avlo'], ageMs: 4000 });
});

test('a carrier that is not asked for a while is missing, and paused', () => {
  const error = { code: 'RATE_LIMITED', retryable: true, message: '' } as const;
  const carriers = answerOf().carriers.map((status) =>
    status.carrier === 'renfe'
      ? { ...timeout('renfe'), state: 'rate-limited' as const, error }
      : status,
  );
  expect(factsOf({ carriers })).toMatchObject({ missing: ['renfe', 'avlo'], paused: ['renfe'] });
});

test('an answer that repeats another question, or none, is told apart', () => {
  const other = { ...query, destination: { id: 'uic:7151003' } };
  expect(factsOf({ query: other }).otherQuestion).toContain('uic:7151003');
  expect(factsOf({ query: { ...query, passengers: [{}, {}] } }).otherQuestion).toBeDefined();
  expect(factsOf({ query: undefined }).otherQuestion).toBe('the answer repeats no question');
});

const events = (...list: object[]) => list.map((event) => JSON.stringify(event));
const started = { type: 'search-started', query };
const done = { type: 'search-done', carriers: CARRIERS.map(ok), complete: true };

test('readStream() puts events together, of NDJSON and of server-sent events', () => {
  const [one, two, three] = journeysOf('ouigo') as [Journey, Journey, Journey];
  const list = events(
    started,
    { type: 'journeys-upsert', seq: 1, journeys: [one, two], removed: [] },
    { type: 'carrier-status', status: timeout('renfe') },
    { type: 'journeys-upsert', seq: 2, journeys: [three], removed: [one.id] },
    done,
  );
  const answer = readStream(list.join('\n'));
  expect(answer.journeys.map(({ id }) => id)).toEqual([two.id, three.id]);
  expect(answer).toMatchObject({ stream: 'done', complete: true, query });
  const sse = list.map((data) => `event: x\ndata: ${data}\n`).join('\n');
  expect(readStream(sse)).toEqual(answer);
});

test('readStream() tells a stream that failed, and one without a last event', () => {
  expect(readStream(events(started, { type: 'search-failed' }).join('\n'))).toMatchObject({
    stream: 'failed',
    complete: false,
  });
  expect(readStream(events(started).join('\n'))).toMatchObject({ stream: 'open', complete: false });
});

test('readDocument() throws for what is no JSON', () => {
  expect(() => readDocument('{"journeys":[')).toThrow(SyntaxError);
});
