import { showValue } from '@ticketing/kit';
import type { CarrierAnswer } from '../carrier.ts';
import type { CarrierId } from '../model/journey.ts';
import { wrongInJourney } from '../model/wrong-field.ts';
import type { Place } from '../stations/station-index.ts';
import { MAX_TOKEN } from './pages.ts';

/** Checks journeys so far that merging and sorting can read them: a wrong adapter makes its carrier fail, not the search. */
function checkJourneys(carrier: CarrierId, answer: CarrierAnswer): void {
  const journeys = (answer as CarrierAnswer | null | undefined)?.journeys;
  if (!Array.isArray(journeys)) {
    throw new TypeError(
      `Carrier \`${carrier}\` answered no journeys: \`journeys\` must be a list, got ${showValue(journeys)}`,
    );
  }
  for (let index = 0; index < journeys.length; index++) {
    const found = wrongInJourney(journeys[index]);
    if (found === undefined) continue;
    const { path, expected, got } = found;
    const journey = `journeys[${index}]`;
    if (path !== '' && got === undefined) {
      throw new TypeError(`Carrier \`${carrier}\` answered \`${journey}\` without \`${path}\``);
    }
    const field = path === '' ? journey : `${journey}.${path}`;
    throw new TypeError(
      `Carrier \`${carrier}\` answered a wrong journey: \`${field}\` must be ${expected}, got ${showValue(got)}`,
    );
  }
}

/**
 * Returns a carrier's answer, checked so far that a search can read it.
 *
 * @throws TypeError that names the first wrong field
 */
export function answeredCarrier(carrier: CarrierId, answer: CarrierAnswer): CarrierAnswer {
  checkJourneys(carrier, answer);
  const { places, pages, covers, filtered } = answer;
  const wrong = (field: string, expected: string, got: unknown): TypeError =>
    new TypeError(
      `Carrier \`${carrier}\` gave a wrong answer: \`${field}\` must be ${expected}, got ${showValue(got)}`,
    );
  if (places !== undefined && !(Array.isArray(places) && places.every(isPlace))) {
    throw wrong('places', 'a list of places with id and name', places);
  }
  for (const direction of ['earlier', 'later'] as const) {
    const token = pages?.[direction];
    if (token !== undefined && !(typeof token === 'string' && token.length <= MAX_TOKEN)) {
      throw wrong(`pages.${direction}`, `a text of at most ${MAX_TOKEN} characters`, token);
    }
  }
  if (covers !== undefined && !(covers.fromMs <= covers.untilMs)) {
    throw wrong('covers', 'an interval of times', covers);
  }
  if (filtered !== undefined && !(Number.isInteger(filtered) && filtered >= 0)) {
    throw wrong('filtered', 'a count', filtered);
  }
  return answer;
}

function isPlace(place: unknown): boolean {
  const { id, name, zone, latitude, longitude } = Object(place) as Partial<Place>;
  return (
    typeof id === 'string' &&
    typeof name === 'string' &&
    (zone === undefined || typeof zone === 'string') &&
    [latitude, longitude].every((degrees) => degrees === undefined || Number.isFinite(degrees))
  );
}
