import { type Carrier, createLocalClock } from '@ticketing/core';
import {
  aFunction,
  aName,
  anObject,
  type Filled,
  type Rule,
  required,
  resolveByRules,
  wholeBetween,
  withMethods,
} from '@ticketing/kit';
import type { Feed } from '../feed/feed.ts';
import type { GtfsWire } from './gtfs-wire.ts';
import { normaliseGtfs } from './normalise.ts';
import { requestGtfs, type ServedFeed } from './request.ts';
import { type LoadFeed, serveLater } from './serve-later.ts';
import { type CodeOf, type GtfsStations, serveStations } from './served-stations.ts';

/** Options of `createGtfsCarrier`. */
export interface GtfsCarrierOptions {
  /** Names the carrier in a search: letters, digits, `.`, `_` and `-`, 40 at most. */
  readonly id: string;
  /** Name that people read. */
  readonly name: string;
  /** Timetable of `readGtfs`, which several carriers may share; or a function that reads one, called at the first question and again after it failed. */
  readonly feed: Feed | LoadFeed;
  /** Table of stations: `byCode`, for `codeOf`, and `near`, for stations by coordinates. Default: none, each stop is a place of its own. */
  readonly stations?: GtfsStations | undefined;
  /** Returns the code of a stop in a system: no system is guessed. Default: none has a code. */
  readonly codeOf?: CodeOf | undefined;
  /** System of codes by which stations of a city are known to be served. Default `uic`. */
  readonly stationSystem?: string | undefined;
  /** Changes of a journey, 0 to 8. Default 4. */
  readonly maxTransfers?: number | undefined;
  /** Hours of a journey, 1 to 72. Default 24. */
  readonly maxHours?: number | undefined;
}

const anIdentifier: Rule = {
  expected: 'a name of letters, digits, `.`, `_` and `-`',
  test: (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
};
const aFeed: Rule = {
  expected: 'a feed of readGtfs(), or a function that reads one',
  test: (value) =>
    aFunction.test(value) ||
    (anObject.test(value) && Object.hasOwn(value as object, 'connections')),
};
const aTable: Rule = {
  expected: 'an object with byCode or near',
  fallback: {},
  test: (value) => withMethods('byCode').test(value) || withMethods('near').test(value),
};
const rules = {
  id: required(anIdentifier),
  name: required(aName),
  feed: required(aFeed),
  stations: aTable,
  codeOf: { ...aFunction, fallback: () => undefined },
  stationSystem: { ...aName, fallback: 'uic' },
  maxTransfers: wholeBetween(0, 8, 4),
  maxHours: wholeBetween(1, 72, 24),
};

/**
 * Creates a carrier that answers from a timetable, for whole days, without prices and without a network. The search runs in `request`: some
 * milliseconds for a city, more for a country, in the thread that calls it.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type, RangeError for one out of range
 * @example
 * const carrier = createGtfsCarrier({
 *   id: 'timetable', name: 'Timetable', feed: await readGtfs('./feed.zip'), stations: await openStations(),
 * });
 * const search = createSearch({ carriers: [carrier] });
 */
export function createGtfsCarrier(options: GtfsCarrierOptions): Carrier<GtfsWire> {
  const resolved = resolveByRules<Filled<GtfsCarrierOptions>>(
    'create gtfs carrier',
    options,
    rules,
  );
  const { id, name, feed, stations, codeOf, stationSystem, maxTransfers, maxHours } = resolved;
  const clock = createLocalClock();
  const serve = (read: Feed): ServedFeed => {
    const served = serveStations(read, { id, stations, codeOf });
    return { id, feed: read, served, clock, maxTransfers, maxHours };
  };
  const serving = typeof feed === 'function' ? serveLater(id, feed, serve) : constant(serve(feed));
  return {
    id,
    name,
    capabilities: { window: 'day', prices: 'none', stationSystem, native: ['maxTransfers'] },
    request: async (query, { signal }) => requestGtfs(await serving(signal), query, signal),
    normalise: (wire, query) => normaliseGtfs({ id, clock, stops: query.stops === true }, wire),
  };
}

function constant<T>(value: T): () => T {
  return () => value;
}
