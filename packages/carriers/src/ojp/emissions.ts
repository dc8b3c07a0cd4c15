import type { RideLeg } from '@ticketing/core';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';

/**
 * Returns the emissions of a ride for each passenger: kilograms for each kilometre, times the length of its track. Without a length of its own
 * it is that of the trip, if that is this ride alone.
 */
export function emissionsOf(leg: XmlElement, trip: XmlElement): Pick<RideLeg, 'co2Grams'> {
  const kilograms = amountOf(textAt(leg, 'EmissionCO2', 'KilogramPerPersonKm'));
  const metres = trackOf(leg) ?? (isAlone(trip) ? amountOf(textAt(trip, 'Distance')) : undefined);
  if (kilograms === undefined || metres === undefined) return {};
  // Thousandths of a kilogram by thousandths of a kilometre.
  return { co2Grams: Math.round(kilograms * metres) };
}

/** Length in metres; of a track of which any section has none, it is not known. */
function trackOf(leg: XmlElement): number | undefined {
  const track = childOf(childOf(leg, 'TimedLeg'), 'LegTrack');
  const lengths = childrenOf(track, 'TrackSection').map((section) =>
    amountOf(textAt(section, 'Length')),
  );
  return lengths.length === 0
    ? undefined
    : lengths.reduce((sum, own) =>
        sum === undefined || own === undefined ? undefined : sum + own,
      );
}

function isAlone(trip: XmlElement): boolean {
  return childrenOf(trip, 'Leg', 'TripLeg').length === 1;
}

/** A number from 0: of another text nothing is known. */
function amountOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,12}(?:\.\d{1,18})?(?:[eE]-?\d{1,2})?$/.test(text))
    return undefined;
  return Number(text);
}
