import { CarrierError, RailError } from '@ticketing/core';
import { LeftOut } from './read-journeys.ts';

/** Returns a part of a journey that may be absent: `undefined` for one that cannot be read, or that the model does not hold. */
export function optionalPart<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof LeftOut || CarrierError.is(error) || RailError.is(error)) return undefined;
    throw error;
  }
}
