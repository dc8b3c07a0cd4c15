import { stationTable } from '@ticketing/carriers';
import type { StationIndex, StationMatch } from '@ticketing/core';

const MOST = 1000;
const LONGEST = 100;

/**
 * Returns an index that remembers what texts mean. Clients ask for the same few, each request is read twice, and a text that is no
 * whole name is looked for in every name. Holds 1,000 short texts at most.
 */
export function rememberTexts(index: StationIndex): StationIndex {
  const known = new Map<string, StationMatch>();
  return {
    ...index,
    find(text) {
      const before = known.get(text);
      if (before !== undefined) return before;
      const match = index.find(text);
      // A text that means nothing is rarely asked for again.
      if (match.kind === 'unknown' || text.length > LONGEST) return match;
      if (known.size >= MOST) known.clear();
      known.set(text, match);
      return match;
    },
  };
}

/** The stations that searches know. */
export const knownStations: StationIndex = rememberTexts(stationTable);
