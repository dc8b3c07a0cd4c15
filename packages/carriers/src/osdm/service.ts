import type { Remark, RideLeg } from '@ticketing/core';
import type { JourneyDecoder } from '../wire/read-journeys.ts';
import { listRemarks, remarkOf } from '../wire/remarks.ts';
import { shownText } from '../wire/shown-text.ts';
import type { WireRecord } from '../wire/wire-reader.ts';

/** Modes by the modes of the standard's list; any other is no train that this model knows. */
const modes: ReadonlyMap<string, RideLeg['mode']> = new Map([
  ...'HIGH_SPEED_TRAIN HISTORIC_TRAIN INTERCITY REGIONAL INTERREGIONAL URBAN TRAIN NIGHT_TRAIN MOTOR_RAIL MOUNTAIN_TRAIN'
    .split(' ')
    .map((name): [string, undefined] => [name, undefined]),
  ['TRAM', 'tram'],
  ['UNDERGROUND', 'metro'],
  ['BUS', 'bus'],
  ['COACH_GROUP', 'bus'],
  ['SHIP', 'ferry'],
]);

/** A vehicle that comes when it was ordered. */
const ON_DEMAND = 'ON_DEMAND_SERVICE';

/** Returns the mode of a vehicle, and whether it is ordered: the wire has no instructions. */
export function modeOf(service: WireRecord): Pick<RideLeg, 'mode' | 'booking'> {
  const { ptMode } = Object(service['mode']) as { ptMode?: unknown };
  if (typeof ptMode !== 'string') return {};
  const name = ptMode.toUpperCase();
  const mode = modes.has(name) ? modes.get(name) : 'other';
  return { ...(mode !== undefined && { mode }), ...(name === ON_DEMAND && { booking: {} }) };
}

/** The first number is the train's, others are of trains that are coupled to it; what is no number is part of a name. */
export function namesOf(
  { read }: JourneyDecoder,
  service: WireRecord,
): Pick<RideLeg, 'brand' | 'number' | 'otherNumbers'> {
  const numbers = read
    .items(service['vehicleNumbers'], 'vehicleNumbers')
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String)
    .map((one) => one.trim().replace(/^0+(?=.)/, ''));
  const [number, ...others] = numbers.filter((one) => /^\d{1,6}$/.test(one));
  const published = shownText(service['publishedServiceName']);
  const category = shownText((Object(service['productCategory']) as WireRecord)['shortName']);
  const suffix = ` ${number}`;
  const line = published?.endsWith(suffix) ? published.slice(0, -suffix.length) : published;
  const brand =
    (line === number ? undefined : line) ?? category ?? numbers.find((one) => one !== number);
  return {
    ...(brand && { brand }),
    ...(number !== undefined && { number }),
    ...(others.length > 0 && { otherNumbers: others }),
  };
}

/** The first of the companies of a train, by its name: that of the train, else that of another train of the answer, else its reference. */
export function operatorOf(
  service: WireRecord,
  companies: ReadonlyMap<string, string>,
): Pick<RideLeg, 'operator'> {
  const { carriers } = service;
  const { name, ref } = Object(Array.isArray(carriers) ? carriers[0] : carriers) as WireRecord;
  const reference = shownText(ref);
  const known = reference === undefined ? undefined : companies.get(reference);
  const operator = shownText(name) ?? known ?? reference;
  return operator === undefined ? {} : { operator };
}

/** Returns the names of companies by their references, as the trains of an answer have them. */
export function companiesOf(trips: readonly WireRecord[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const one of trips.flatMap((trip) => listOf(trip['legs']))) {
    const { timedLeg } = Object(one) as WireRecord;
    const { service } = Object(timedLeg) as WireRecord;
    for (const company of listOf((Object(service) as WireRecord)['carriers'])) {
      const { ref, name } = Object(company) as WireRecord;
      const [reference, text] = [shownText(ref), shownText(name)];
      if (reference !== undefined && text !== undefined && !names.has(reference)) {
        names.set(reference, text);
      }
    }
  }
  return names;
}

/**
 * Returns the attributes of a leg and of its train as remarks: facilities, restrictions. Situations are references alone, whose texts
 * the answer does not have.
 */
export function remarksOf(leg: WireRecord, service: WireRecord): readonly Remark[] | undefined {
  return listRemarks(
    [...listOf(leg['attributes']), ...listOf(service['attributes'])].map((attribute) => {
      const { text, code } = Object(attribute) as WireRecord;
      return remarkOf({ kind: 'info', texts: [text], code });
    }),
  );
}

/** One value in place of a list is a list of one. */
function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}
