import { showValue } from '@ticketing/kit';
import type { CarrierAnswer } from '../carrier.ts';
import type { CarrierId, Journey } from '../model/journey.ts';
import { wrongInJourney } from '../model/wrong-field.ts';

/**
 * Returns the journeys of a carrier's answer, checked so far that merging and sorting can read them: a wrong
 * adapter makes its carrier fail, not the search.
 *
 * @throws TypeError for an answer without journeys, or with one that is not whole; it names the first wrong field
 */
export function answeredJourneys(carrier: CarrierId, answer: CarrierAnswer): readonly Journey[] {
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
  return journeys;
}
