import type { CarrierDecoder } from '../wire/decoder.ts';
import type { JourneyDecoder, WirePlace } from '../wire/read-journeys.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';

/** Stop in the context of an answer. */
interface OjpPlace {
  readonly name?: string | undefined;
  /** The station of a platform. */
  readonly parent?: string | undefined;
  readonly latitude?: number;
  readonly longitude?: number;
}

/** The stops of an answer, by their references. */
export type OjpPlaces = ReadonlyMap<string, OjpPlace>;

/** `ch:1:sloid:3000:1:2`: the station has the Swiss number 8503000. */
const SLOID = /^ch:1:sloid:(\d{1,5})(?::|$)/;

/** Reads the context of an answer. */
export function readPlaces(delivery: XmlElement): OjpPlaces {
  const places = new Map<string, OjpPlace>();
  const list = childOf(childOf(delivery, 'TripResponseContext'), 'Places');
  // In 1.0 it is `Location`.
  for (const place of childrenOf(list, 'Place', 'Location')) {
    for (const kind of ['StopPoint', 'StopPlace'] as const) {
      const stop = childOf(place, kind);
      const reference = textAt(stop, `${kind}Ref`);
      if (reference === undefined) continue;
      places.set(reference, {
        name: textAt(stop, `${kind}Name`, 'Text') ?? textAt(place, 'Name', 'Text'),
        parent: textAt(stop, 'ParentRef'),
        ...positionOf(place),
      });
    }
  }
  return places;
}

function positionOf(place: XmlElement): Pick<OjpPlace, 'latitude' | 'longitude'> {
  const [latitude, longitude] = (['Latitude', 'Longitude'] as const).map((name) =>
    Number(textAt(place, 'GeoPosition', name) ?? Number.NaN),
  ) as [number, number];
  const isPosition = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isPosition ? { latitude, longitude } : {};
}

/** Data of stops beside that of an element. */
export interface StopContext {
  readonly places: OjpPlaces;
  /** Zone of a stop that the table lacks. */
  readonly zone: string;
}

/**
 * Returns the station of an end of a leg: by its reference, by that of its station, or by the number in a Swiss location id. One
 * that the table lacks is a place, as the answer names it: a reference is opaque, and only digits alone are of the system. An end
 * without a reference is an address.
 *
 * @throws LeftOut for an end without reference, position and name
 */
export function stopOf(
  decoder: JourneyDecoder,
  end: XmlElement | undefined,
  { places, zone }: StopContext,
): WirePlace {
  const reference = textAt(end, 'StopPointRef') ?? textAt(end, 'StopPlaceRef');
  if (reference === undefined) {
    const name = textAt(end, 'Name', 'Text') ?? textAt(end, 'LocationName', 'Text');
    return decoder.address({ name, zone, ...(end && positionOf(end)) });
  }
  const own = places.get(reference);
  const codes = codesOf(decoder, reference, own?.parent);
  const code = codes.find((each) => decoder.stationOf(each)) ?? codes.at(-1) ?? reference;
  const { name, latitude, longitude } = { ...own, ...places.get(code) };
  return decoder.station({ code }, 'code', {
    name: name ?? textAt(end, 'StopPointName', 'Text') ?? textAt(end, 'Name', 'Text'),
    zone,
    ...(latitude !== undefined && longitude !== undefined && { latitude, longitude }),
    ...(!/^\d+$/.test(code) && { system: decoder.carrier }),
  });
}

/** Returns the codes by which a stop may be known, the most general one last. */
function codesOf(
  { system }: CarrierDecoder,
  reference: string,
  parent: string | undefined,
): readonly string[] {
  const codes = parent === undefined ? [reference] : [reference, parent];
  const number = SLOID.exec(codes.at(-1) ?? '')?.[1];
  return number === undefined || system !== 'uic'
    ? codes
    : [...codes, `85${number.padStart(5, '0')}`];
}
