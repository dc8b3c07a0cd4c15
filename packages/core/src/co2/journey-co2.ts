import type { JourneyCo2, Leg, RideLeg, RideMode } from '../model/journey.ts';
import type { Place, StationId } from '../stations/station-index.ts';
import { EMISSION_FACTORS } from './emission-factors.ts';

const EARTH_RADIUS_KM = 6371;
const RADIANS_PER_DEGREE = Math.PI / 180;

/**
 * Returns the emissions of a journey for each passenger: figures of its carriers, and estimates of rides without one. `undefined` where a
 * ride has neither: its vehicle has no factor, or the coordinates of an end are unknown.
 */
export function co2Of(
  legs: readonly Leg[],
  placeOf: (id: StationId) => Place | undefined,
): JourneyCo2 | undefined {
  let grams = 0;
  let estimated = false;
  for (const leg of legs) {
    if (leg.kind !== 'ride') continue;
    let own = leg.co2Grams;
    if (own === undefined) {
      own = estimateOf(leg, placeOf);
      estimated = true;
    }
    if (own === undefined) return undefined;
    grams += own;
  }
  return { grams: Math.round(grams), estimated };
}

/** Great circle between the ends, times a detour, times a factor. */
function estimateOf(
  {
    origin,
    destination,
    mode = 'train',
  }: Omit<RideLeg, 'mode'> & { readonly mode?: RideMode | 'train' },
  placeOf: (id: StationId) => Place | undefined,
): number | undefined {
  if (mode === 'other') return undefined;
  const { gramsPerKm, detour } = EMISSION_FACTORS;
  const km = kilometresApart(placeOf(origin), placeOf(destination));
  return km === undefined ? undefined : km * detour * gramsPerKm[mode];
}

/** Haversine formula: exact enough also for stops that are near. */
function kilometresApart(a: Place | undefined, b: Place | undefined): number | undefined {
  if (a?.latitude === undefined || a.longitude === undefined) return undefined;
  if (b?.latitude === undefined || b.longitude === undefined) return undefined;
  const north = ((b.latitude - a.latitude) * RADIANS_PER_DEGREE) / 2;
  const east = ((b.longitude - a.longitude) * RADIANS_PER_DEGREE) / 2;
  const chord =
    Math.sin(north) ** 2 +
    Math.cos(a.latitude * RADIANS_PER_DEGREE) *
      Math.cos(b.latitude * RADIANS_PER_DEGREE) *
      Math.sin(east) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(chord)));
}
