import type { Passenger, RideLeg, RideSection, TimeAt } from '@ticketing/core';

/** Display names by id; what is missing is shown by its id. */
export interface Names {
  readonly stations: ReadonlyMap<string, string>;
  readonly carriers: ReadonlyMap<string, string>;
  /** Way of asking a carrier, shown after its name. */
  readonly calls: ReadonlyMap<string, string>;
  /** Language of the page: prices are written as it does. Default `en`. */
  readonly lang?: string | undefined;
  /** Cities that were asked for: their stations need not repeat them. */
  readonly cities?: readonly string[] | undefined;
  /** The day that was asked for. */
  readonly day?: string | undefined;
  /** Names of operators, as far as carriers send them. */
  readonly operators?: ReadonlyMap<string, string> | undefined;
  /** Passengers of the search. */
  readonly passengers?: readonly Passenger[] | undefined;
  /** Carriers that do not heed ages: their prices are of adults. */
  readonly adultsOnly?: ReadonlySet<string> | undefined;
}

/** Formats the time at the station, whatever the zone of the reader. */
export function clockOf({ iso }: TimeAt): string {
  return iso.slice(11, 16);
}

/** Names a train. */
export function rideText({ brand = 'Train', number = '' }: RideSection): string {
  return `${brand} ${number}`.trim();
}

/** Returns a name, or the id if there is none. */
export function nameOf(names: ReadonlyMap<string, string>, id: string): string {
  return names.get(id) ?? id;
}

/** Splits the name of a station where the city that was asked for ends: `Barcelona `, `Sants`. */
export function stationParts(id: string, { stations, cities = [] }: Names): [string, string] {
  const name = nameOf(stations, id);
  const { length } = cities.find((one) => name.startsWith(`${one} `)) ?? '';
  const end = length === 0 ? 0 : length + 1;
  return [name.slice(0, end), name.slice(end)];
}

/** Names the operator of a ride. A number, and a carrier's own code, mean nothing to people. */
export function operatorOf({ operator = '' }: RideLeg, { operators }: Names): string | undefined {
  const name = operators?.get(operator) ?? (operator.includes(':') ? '' : operator);
  return /\p{L}/u.test(name) ? name : undefined;
}
