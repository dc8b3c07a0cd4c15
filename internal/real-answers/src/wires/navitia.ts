import { currencyExponent } from '@ticketing/core';
import { at, bytesOf, isObject, numberAt, objectsOf, parse } from './json.ts';
import type { Row, Stated } from './stated.ts';

/** Returns the journeys of an answer. Prices are of one traveller: a question has no number of them. */
export function navitiaRows(body: Uint8Array, passengers: number): readonly Row[] {
  const answer = parse(body);
  if (!isObject(answer)) return [];
  return objectsOf(answer['journeys']).map((journey): Row => {
    const seconds = numberAt(journey, 'duration');
    return {
      body: bytesOf({ ...answer, journeys: [journey] }),
      stated: {
        minutes: seconds === undefined ? undefined : Math.round(seconds / 60),
        changes: numberAt(journey, 'nb_transfers'),
        total: totalOf(at(journey, 'fare'), passengers),
      },
    };
  });
}

/** Currencies that are words. */
const words: Readonly<Record<string, string>> = { centime: 'EUR', euro: 'EUR' };

/** Hundredths, or units of a currency, as a decimal text. */
function totalOf(fare: unknown, passengers: number): Stated['total'] {
  const [value, currency] = [Number(at(fare, 'total', 'value')), at(fare, 'total', 'currency')];
  if (at(fare, 'found') !== true || typeof currency !== 'string' || Number.isNaN(value)) {
    return undefined;
  }
  const code = words[currency] ?? currency;
  if (!/^[A-Z]{3}$/.test(code)) return undefined;
  const scale = currency === 'centime' ? 1 : 10 ** currencyExponent(code);
  return { amount: Math.round(value * scale) * passengers, currency: code };
}
