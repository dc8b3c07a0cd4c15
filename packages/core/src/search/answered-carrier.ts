import type { Rule } from '@ticketing/kit';
import type { CarrierAnswer } from '../contract/carrier.ts';
import type { CarrierDay } from '../contract/carrier-day.ts';
import type { CarrierReturns } from '../contract/carrier-returns.ts';
import type { ResolvedQuery } from '../contract/search-query.ts';
import { CarrierError } from '../errors.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import { journeysOf, offerShape, someOf } from '../model/journey-shape.ts';
import { isLocalDate } from '../model/local-clock.ts';
import {
  aNumber,
  aText,
  explain,
  firstWrong,
  type Shape,
  type WrongField,
} from '../model/shape.ts';
import { aToken } from './pages.ts';

const aPlace: Shape = {
  id: aText,
  name: aText,
  zone: { optional: aText },
  latitude: { optional: aNumber },
  longitude: { optional: aNumber },
};

const anInterval: Rule = {
  expected: 'an interval of times',
  test: (value) => {
    const { fromMs, untilMs } = Object(value);
    return fromMs <= untilMs;
  },
};

const aCount: Rule = {
  expected: 'a count',
  test: (value) => Number.isInteger(value) && (value as number) >= 0,
};

const countsByReason: Rule = {
  expected: 'counts by reason',
  test: (value) => typeof value === 'object' && Object.values(value ?? {}).every(aCount.test),
};

const namesById: Rule = {
  expected: 'at most 1000 names of 1 to 500 characters by operator',
  test: (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const names: unknown[] = Object.values(value);
    return (
      names.length <= 1000 &&
      names.every((name) => typeof name === 'string' && name.length > 0 && name.length <= 500)
    );
  },
};

const anAnswer: Shape = {
  journeys: journeysOf,
  places: { optional: [aPlace] },
  operators: { optional: namesById },
  pages: { optional: { earlier: { optional: aToken }, later: { optional: aToken } } },
  covers: { optional: anInterval },
  filtered: { optional: aCount },
  leftOut: { optional: countsByReason },
  failure: { optional: { code: aText, message: aText } },
};

const aState: Rule = {
  expected: 'priced, sold-out, no-trains or unknown',
  test: (value) => STATES.includes(value),
};
const STATES: readonly unknown[] = ['priced', 'sold-out', 'no-trains', 'unknown'];
const aDate: Rule = {
  expected: 'a day as YYYY-MM-DD',
  test: (value) => typeof value === 'string' && isLocalDate(value),
};
const noPrice: Rule = {
  expected: 'absent on a day without the state priced',
  test: (value) => value === undefined,
};

function aDay(value: unknown): Shape {
  const { state } = Object(value) as Partial<CarrierDay>;
  const lowest = state === 'priced' ? { amount: aNumber, currency: aText } : noPrice;
  return { date: aDate, state: aState, lowest, fetchedAt: aNumber };
}

/**
 * Returns the days of a carrier's calendar, checked.
 *
 * @throws TypeError that names the first wrong field
 */
export function answeredCalendar(carrier: CarrierId, answer: CarrierAnswer): readonly CarrierDay[] {
  const found = firstWrong(Object(answer), { calendar: [aDay] });
  if (found !== undefined) throw wrongAnswer(carrier, found);
  return answer.calendar as readonly CarrierDay[];
}

/**
 * Returns the journeys back and the pairs of an answer, checked.
 *
 * @throws TypeError that names the first wrong field
 */
export function answeredReturns(carrier: CarrierId, answer: CarrierAnswer): CarrierReturns {
  const back = Object(answer).returns?.journeys;
  const oneOf = (list: unknown): Rule => {
    const count = Array.isArray(list) ? list.length : 0;
    return {
      expected: `an index below ${count}`,
      test: (value) =>
        Number.isInteger(value) && (value as number) >= 0 && (value as number) < count,
    };
  };
  const pair = { outbound: oneOf(answer.journeys), inbound: oneOf(back), offer: offerShape(0) };
  const found = firstWrong(Object(answer), { returns: { journeys: journeysOf, pairs: [pair] } });
  if (found !== undefined) throw wrongAnswer(carrier, found);
  return answer.returns as CarrierReturns;
}

/**
 * Returns a carrier's answer, checked so far that merging and sorting can read it: a wrong adapter makes its carrier
 * fail, not the search.
 *
 * @throws TypeError that names the first wrong field
 * @throws CarrierError `PROTOCOL` for more than `maxJourneys`: no rule could choose which to leave out
 */
export function answeredCarrier(
  carrier: CarrierId,
  answer: CarrierAnswer,
  maxJourneys: number,
): CarrierAnswer {
  const count = answer?.journeys?.length;
  if (count > maxJourneys) {
    const message = `Carrier \`${carrier}\` answered ${count} journeys, more than \`maxJourneys\` (${maxJourneys})`;
    throw new CarrierError('PROTOCOL', message);
  }
  const found = firstWrong(Object(answer), anAnswer);
  if (found === undefined) return answer;
  throw wrongAnswer(carrier, found);
}

function wrongAnswer(carrier: CarrierId, found: WrongField): TypeError {
  return new TypeError(`Carrier \`${carrier}\` gave a wrong answer: ${explain(found)}`);
}

/**
 * Returns journeys that have the number of passengers beside offers for some of them, so that prices can be added for all.
 *
 * @throws TypeError for an offer for a passenger whom the query lacks
 */
export function withPassengers(
  carrier: CarrierId,
  journeys: readonly Journey[],
  { passengers: { length } }: ResolvedQuery,
): readonly Journey[] {
  const places = someOf('passengers', length);
  return journeys.map((journey) => {
    if (journey.offers.every(({ passengers }) => passengers === undefined)) return journey;
    for (const { passengers = [0] } of journey.offers) {
      if (places.test(passengers)) continue;
      const { expected } = places;
      throw wrongAnswer(carrier, { path: 'offers.passengers', expected, got: passengers });
    }
    return { ...journey, passengers: length };
  });
}
