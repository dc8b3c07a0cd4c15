import { canonicalKey } from '@ticketing/batching';
import type { CarrierQuery } from '@ticketing/core';

/** Returns equal texts for equal questions to a carrier. A station is its id; every other field counts, a page's token too. */
export function questionKey(
  carrier: string,
  { origin, destination, via, ...others }: CarrierQuery,
): string {
  return canonicalKey(carrier, origin.id, destination.id, via?.id, others);
}
