import { co2Of } from '../co2/journey-co2.ts';
import type { Journey, JourneyCo2 } from '../model/journey.ts';
import { type Conversion, withConverted } from '../prices/convert-prices.ts';
import type { Place, StationId } from '../stations/station-index.ts';

/** Adds to merged journeys what no carrier knows alone. */
export type FinishJourneys = (journeys: readonly Journey[]) => Journey[];

/**
 * Returns a function that adds converted prices and emissions to journeys, by the rates of the search and the places known by now. A
 * journey that comes again and is no other by it is the same object.
 */
export function createFinish(
  placeOf: (id: StationId) => Place | undefined,
  conversion: Conversion | undefined,
): FinishJourneys {
  const finished = new WeakMap<Journey, Journey>();
  const { convert } = conversion ?? {};
  return (journeys) =>
    journeys.map((journey) => {
      const co2 = co2Of(journey.legs, placeOf);
      const known = finished.get(journey);
      if (known !== undefined && isSameCo2(known.co2, co2)) return known;
      const { co2: _, ...rest } = convert ? withConverted(journey, convert) : journey;
      const made: Journey = co2 === undefined ? rest : { ...rest, co2 };
      finished.set(journey, made);
      return made;
    });
}

function isSameCo2(a: JourneyCo2 | undefined, b: JourneyCo2 | undefined): boolean {
  return a?.grams === b?.grams && a?.estimated === b?.estimated;
}
