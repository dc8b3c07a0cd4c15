import type { RideLeg } from '@ticketing/core';
import { carrierMark } from '../frame/carrier-mark.ts';
import type { SafeHtml } from '../frame/html.ts';
import { type Names, operatorOf, rideText } from './names.ts';

/** Renders the mark of who runs a train: of its brand, where that is a carrier, or of its operator. */
export function operatorMark(
  ride: RideLeg,
  names: Names,
  size: 'usual' | 'small' = 'usual',
): SafeHtml {
  const { brand = '', operator = '' } = ride;
  const known = [brand.toLowerCase(), operator].find((id) => names.carriers.has(id));
  return carrierMark(known ?? operator, operatorOf(ride, names) ?? rideText(ride), size);
}
