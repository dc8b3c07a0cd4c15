import type { CarrierStatus } from '@ticketing/core';

/** True if a carrier does not go between the stations, and so has nothing to report of the journeys there. */
export function isNotServed({ state, error }: CarrierStatus): boolean {
  return state === 'empty' && error?.code === 'NOT_SERVED';
}
