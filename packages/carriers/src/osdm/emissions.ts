import type { CarrierQuery, RideLeg } from '@ticketing/core';
import type { WireRecord } from '../wire/wire-reader.ts';

/** Grams of a unit. The standard leaves units open. */
const units: ReadonlyMap<unknown, number> = new Map([
  ['g', 1],
  ['kg', 1000],
]);

/**
 * Returns the emissions of a ride for each passenger. The standard does not define whether a figure is for one passenger or for all who are
 * asked for: of several it is not known.
 */
export function emissionsOf(
  { co2Emission }: WireRecord,
  { passengers }: Pick<CarrierQuery, 'passengers'>,
): Pick<RideLeg, 'co2Grams'> {
  const { value, unit } = Object(co2Emission) as WireRecord;
  const grams = units.get(typeof unit === 'string' ? unit.trim().toLowerCase() : undefined);
  if (grams === undefined || passengers.length > 1) return {};
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return {};
  return { co2Grams: Math.round(value * grams) };
}
