import type { CarrierAnswer } from '@ticketing/core';

/** Returns an answer with the names of its operators, of a wire that does not write them. Without journeys it needs none. */
export function withOperators(
  answer: CarrierAnswer,
  operators: NonNullable<CarrierAnswer['operators']>,
): CarrierAnswer {
  return answer.journeys.length === 0 ? answer : { ...answer, operators };
}
