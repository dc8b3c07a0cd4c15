import type { CarrierStatus } from '@ticketing/core';

/** Whether a carrier does not go between the stations, so that it says nothing of the journeys there. */
export function isNotServed({ state, error }: CarrierStatus): boolean {
  return state === 'empty' && error?.code === 'NOT_SERVED';
}
