import type { Passenger, RideSection, TimeAt } from '@ticketing/core';

/** Display names by id; what is missing is shown by its id. */
export interface Names {
  readonly stations: ReadonlyMap<string, string>;
  readonly carriers: ReadonlyMap<string, string>;
  /** How a carrier is asked, after its name. */
  readonly calls: ReadonlyMap<string, string>;
  /** The day that was asked for: journeys of another one say theirs. */
  readonly day?: string | undefined;
  /** Names of operators, as far as carriers say them. */
  readonly operators?: ReadonlyMap<string, string> | undefined;
  /** Who travels. */
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
