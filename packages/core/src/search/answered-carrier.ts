import type { Rule } from '@ticketing/kit';
import type { CarrierAnswer } from '../carrier.ts';
import { CarrierError } from '../errors.ts';
import type { CarrierId } from '../model/journey.ts';
import { journeysOf } from '../model/journey-shape.ts';
import { aNumber, aText, explain, firstWrong, type Shape } from '../model/shape.ts';
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

const anAnswer: Shape = {
  journeys: journeysOf,
  places: { optional: [aPlace] },
  pages: { optional: { earlier: { optional: aToken }, later: { optional: aToken } } },
  covers: { optional: anInterval },
  filtered: { optional: aCount },
  leftOut: { optional: countsByReason },
  failure: { optional: { code: aText, message: aText } },
};

/**
 * Returns a carrier's answer, checked so far that merging and sorting can read it: a wrong adapter makes its carrier
 * fail, not the search.
 *
 * @throws TypeError that names the first wrong field
 * @throws CarrierError `PROTOCOL` for more than `maxJourneys`: which of them to leave out, nobody can say
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
  throw new TypeError(`Carrier \`${carrier}\` gave a wrong answer: ${explain(found)}`);
}
