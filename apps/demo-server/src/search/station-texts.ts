import { stationTable } from '@ticketing/carriers';
import type { Station, StationGroup, StationIndex, StationMatch } from '@ticketing/core';
// Not at the first call: a module that could not be read once, for want of descriptors, can never be imported again.
import { openStations, type StationBook } from '@ticketing/stations';
import { loadOnce } from '../processes/load-once.ts';
import { fold } from './fold.ts';
import type { SearchParameters } from './search-parameters.ts';

/** Finds what a text means. */
export type StationTexts = Pick<StationIndex, 'find'>;

const MOST_TEXTS = 1000;
const LONGEST_TEXT = 100;

/**
 * Returns an index that remembers what texts mean. Clients ask for the same few, each request is read twice, and a text that is no
 * whole name is looked for in every name. Holds 1,000 short texts at most.
 */
export function rememberTexts(index: StationTexts): StationTexts {
  const known = new Map<string, StationMatch>();
  return {
    find(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      const match = index.find(text);
      // A text that means nothing is rarely asked for twice.
      if (match.kind === 'unknown' || text.length > LONGEST_TEXT) return match;
      if (known.size >= MOST_TEXTS) known.clear();
      known.set(text, match);
      return match;
    },
  };
}

/**
 * The stations that the carriers of the demo serve, by ids, codes and whole names alone: of other texts only the book of all stations
 * knows whether they mean one of these. Needs no file, and is the same in each process.
 */
export const servedStations: StationTexts = rememberTexts({
  find(text) {
    const match = stationTable.find(text);
    return match.kind === 'found' && isWhole(text, match.station)
      ? match
      : { kind: 'unknown', nearest: [] };
  },
});

/** An id or a code. */
const CODED = /[\d:]/;

function isWhole(text: string, { name, aliases = [] }: Station): boolean {
  const folded = fold(text);
  return CODED.test(text) || [name, ...aliases].some((one) => fold(one) === folded);
}

/** Returns all stations of a book; stations that the carriers of the demo serve are as these know them. */
export function searchedStations(book: StationTexts): StationTexts {
  return rememberTexts({
    find(text) {
      const served = servedStations.find(text);
      if (served.kind === 'found') return served;
      const match = book.find(text);
      return match.kind === 'found'
        ? { kind: 'found', station: askedStation(match.station) }
        : match;
    },
  });
}

/** Returns what carriers are asked with: the table's station, or one without its names, which other processes need not get. */
function askedStation(station: Station | StationGroup): Station | StationGroup {
  const served = stationTable.byId(station.id);
  if (served !== undefined) return served;
  const { aliases: _names, otherCodes: _codes, ...asked } = station;
  return 'members' in station ? { ...asked, members: station.members.map(askedStation) } : asked;
}

/** Returns what knows the stations of a search: the book, which is opened for it, unless each is one that is served. */
export async function stationsFor(
  { origin, destination, via = origin }: Pick<SearchParameters, 'origin' | 'destination' | 'via'>,
  openBook: () => Promise<StationTexts>,
): Promise<StationTexts> {
  const isServed = (text: string): boolean => servedStations.find(text).kind === 'found';
  return [origin, destination, via].every(isServed) ? servedStations : openBook();
}

/** Every station, opened at the first call. */
export interface Stations {
  /** Codes and names of all stations. */
  stationBook(): Promise<StationBook>;
  /** Meanings of the texts of searches. */
  stationTexts(): Promise<StationTexts>;
}

/** Creates the stations of a process. Their table is not read before they are asked for. */
export function createStations(): Stations {
  const stationBook = loadOnce(openStations);
  return {
    stationBook,
    stationTexts: loadOnce(async () => searchedStations(await stationBook())),
  };
}
