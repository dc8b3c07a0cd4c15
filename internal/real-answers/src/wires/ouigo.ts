import { moneyFromNumber } from '@ticketing/core';
import { at, bytesOf, isObject, numberAt, objectsOf, parse } from './json.ts';
import type { Row } from './stated.ts';

/** `Date.parse` reads a day in nearly every text, so that the form of a time is checked before. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?$/;

function instantOf(value: unknown): number {
  return typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN;
}

/** Returns the trains of an answer. Prices are of the whole party. */
export function ouigoRows(body: Uint8Array): readonly Row[] {
  const answer = parse(body);
  if (!isObject(answer)) return [];
  return objectsOf(answer['outbound']).map((train): Row => {
    const [departs, arrives] = [
      instantOf(at(train, 'departure_station', 'departure_timestamp')),
      instantOf(at(train, 'arrival_station', 'arrival_timestamp')),
    ];
    const price = numberAt(train, 'price');
    return {
      body: bytesOf({ ...answer, outbound: [train] }),
      stated: {
        minutes: Number.isNaN(arrives - departs) ? undefined : (arrives - departs) / 60_000,
        changes: 0,
        ...(price !== undefined && { total: moneyFromNumber(price, 'EUR') }),
      },
    };
  });
}
