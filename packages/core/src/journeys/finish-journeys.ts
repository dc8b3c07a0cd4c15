import { createCo2 } from '../co2/journey-co2.ts';
import type { Journey, JourneyCo2 } from '../model/journey.ts';
import { type Conversion, withConverted } from '../prices/convert-prices.ts';
import type { Place, StationId } from '../stations/station-index.ts';

/** Adds to merged journeys what no carrier knows alone. */
export type FinishJourneys = (journeys: readonly Journey[]) => Journey[];

type PlaceOf = (id: StationId) => Place | undefined;

/** Returns a function that adds converted prices and emissions to journeys, by the rates of the search and the places known by now. */
export function createFinish(placeOf: PlaceOf, conversion: Conversion | undefined): FinishJourneys {
  const co2Of = createCo2(placeOf);
  const { convert } = conversion ?? {};
  return (journeys) =>
    journeys.map((journey) => {
      const co2 = co2Of(journey.legs);
      const priced = convert ? withConverted(journey, convert) : journey;
      if (co2 !== undefined) return { ...priced, co2 };
      if (priced.co2 === undefined) return priced;
      // The figure of a carrier is of its rides alone.
      const { co2: _, ...rest } = priced;
      return rest;
    });
}

/** Is {@link createFinish} for journeys that come again: one that is no other by what is added is the same object as before. */
export function createRepeatedFinish(
  placeOf: PlaceOf,
  conversion: Conversion | undefined,
): FinishJourneys {
  const finished = new Map<Journey, Journey>();
  const finish = createFinish(placeOf, conversion);
  return (journeys) =>
    finish(journeys).map((made, index) => {
      const journey = journeys[index] as Journey;
      const known = finished.get(journey);
      if (known !== undefined && isSameCo2(known.co2, made.co2)) return known;
      finished.set(journey, made);
      return made;
    });
}

function isSameCo2(a: JourneyCo2 | undefined, b: JourneyCo2 | undefined): boolean {
  return a?.grams === b?.grams && a?.estimated === b?.estimated;
}
