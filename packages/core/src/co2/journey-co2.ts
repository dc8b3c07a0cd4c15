import type { JourneyCo2, Leg, RideMode } from '../model/journey.ts';
import type { Place, StationId } from '../stations/station-index.ts';
import { EMISSION_FACTORS } from './emission-factors.ts';

const EARTH_RADIUS_KM = 6371;
const RADIANS_PER_DEGREE = Math.PI / 180;

/**
 * Returns a function for the emissions of journeys for each passenger: figures of their carriers, and estimates of rides without one.
 * `undefined` where a ride has neither: its vehicle has no factor, or the coordinates of an end are unknown.
 */
export function createCo2(
  placeOf: (id: StationId) => Place | undefined,
): (legs: readonly Leg[]) => JourneyCo2 | undefined {
  const kilometres = createKilometres();
  /** Most journeys have the figure of the one before, and share the object. */
  let last: JourneyCo2 = { grams: 0, estimated: false };
  return (legs) => {
    let grams = 0;
    let estimated = false;
    for (const leg of legs) {
      if (leg.kind !== 'ride') continue;
      let own = leg.co2Grams;
      if (own === undefined) {
        const factor = factorOf(leg);
        const km = factor && kilometres(placeOf(leg.origin), placeOf(leg.destination));
        if (factor === undefined || km === undefined) return undefined;
        own = km * factor;
        estimated = true;
      }
      grams += own;
    }
    const whole = Math.round(grams);
    if (whole !== last.grams || estimated !== last.estimated) last = { grams: whole, estimated };
    return last;
  };
}

/** Grams for each kilometre of the great circle. */
function factorOf({
  mode = 'train',
}: {
  readonly mode?: RideMode | 'train' | undefined;
}): number | undefined {
  const { gramsPerKm, detour } = EMISSION_FACTORS;
  return mode === 'other' ? undefined : gramsPerKm[mode] * detour;
}

/** Returns a function for the distance of two places that remembers the last one: most journeys are between the places of the one before. */
function createKilometres(): typeof kilometresApart {
  let from: Place | undefined;
  let to: Place | undefined;
  let last: number | undefined;
  return (a, b) => {
    if (a !== from || b !== to) [from, to, last] = [a, b, kilometresApart(a, b)];
    return last;
  };
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
