import { getOrAdd } from '../model/get-or-add.ts';
import { type Journey, type RideLeg, ridesOf } from '../model/journey.ts';
import type { StationId } from '../stations/station-index.ts';
import type { SameStops } from './same-stops.ts';

const SAME_TIMES_MS = 2 * 60_000;
/** Number of cells of arrivals for a cell of departures: 200 years. */
const ROW = 2 ** 26;
/** Steps from the cell of a journey: to itself, then to the cells beside it, the nearest first. */
const AROUND = /* @__PURE__ */ [0, -1, 1].flatMap((departure) =>
  [0, -1, 1].map((arrival) => departure * ROW + arrival),
);
const OWN_CELL: readonly number[] = [0];
/**
 * Most groups, and clusters without a contradiction, that are tried for one journey. Timetables have a few; where a hundred
 * trains within minutes may be the same, the first ones in order count.
 */
const MOST_LOOKS = 100;
/** Timetables have a few, by what carriers leave out. */
const MOST_INDEXES = 64;

/** Journeys of several carriers that are one and the same: it has the times and legs of the first member. */
export type Cluster = [leader: Journey, ...others: Journey[]];

/** Compares journeys by a total order. */
export type CompareJourneys = (a: Journey, b: Journey) => number;

/** Data by which journeys are merged. */
export interface MergeContext {
  readonly compare: CompareJourneys;
  /** Absent: each id is a stop of its own. */
  readonly stops: SameStops | undefined;
}

/**
 * Facts of the members of a cluster, by names: brand, operator and number of each ride, and times by each carrier that lists the train
 * without numbers, because such a carrier may list two trains within two minutes. A fact that two clusters have and that differs is
 * a contradiction.
 */
type Facts = Map<string, string>;

/** A fact of two values. No value is in upper case. */
const MANY = 'MANY';

interface Entry {
  readonly cluster: Cluster;
  readonly facts: Facts;
}

/** Clusters whose facts have the same names. */
interface Group {
  readonly names: readonly string[];
  readonly entries: Set<Entry>;
  /** Entries by the values of some of the names, as JSON. */
  readonly indexes: Map<string, Index>;
}

interface Index {
  readonly names: readonly string[];
  readonly byValues: Map<string, Set<Entry>>;
}

export function isNumbered({ legs }: Journey): boolean {
  return ridesOf(legs).every(({ number }) => number !== undefined);
}

/**
 * Lets each journey without a number join a cluster that it does not contradict: one with its very times, else, with all that have
 * these times, the nearest one. Without one it opens a cluster. Clusters are found by stations, minutes and facts, so that time is
 * linear: a carrier decides how many trains it lists at one time.
 *
 * @param clusters in order of their leaders; gains the clusters that are opened
 */
export function attachLoose(
  clusters: Cluster[],
  loose: Journey[],
  { compare, stops }: MergeContext,
): void {
  /** Journeys by stations, then by the numbers of {@link cellOf}. */
  const places = new Map<string, Map<number, Map<string, Group>>>();
  const cellsOf = ({ legs }: Journey) => {
    const stop = (id: StationId): StationId => stops?.get(id) ?? id;
    const stations = ridesOf(legs).map((ride) => `${stop(ride.origin)} ${stop(ride.destination)}`);
    return getOrAdd(places, stations.join('>'), () => new Map<number, Map<string, Group>>());
  };

  function groupOf({ cluster: [leader], facts }: Entry): Group {
    const names = [...facts.keys()].sort();
    const cell = getOrAdd(cellsOf(leader), cellOf(leader), () => new Map<string, Group>());
    return getOrAdd(cell, names.join(), () => ({
      names,
      entries: new Set(),
      indexes: new Map(),
    }));
  }

  function add(entry: Entry): void {
    const { entries, indexes } = groupOf(entry);
    entries.add(entry);
    for (const index of indexes.values()) addTo(index, entry);
  }

  function remove(entry: Entry): void {
    const { entries, indexes } = groupOf(entry);
    entries.delete(entry);
    for (const { names, byValues } of indexes.values()) {
      byValues.get(valuesOf(entry.facts, names))?.delete(entry);
    }
  }

  /** Returns the nearest cluster that facts do not contradict, in the cells around a journey or in its own alone. */
  function nearest(journey: Journey, facts: Facts, around: readonly number[]): Entry | undefined {
    let found: Entry | undefined;
    let least = 0;
    let looks = MOST_LOOKS;
    const cells = cellsOf(journey);
    const cell = cellOf(journey);
    for (const away of around) {
      for (const group of cells.get(cell + away)?.values() ?? []) {
        looks -= 1;
        for (const entry of looks > 0 ? alike(group, facts) : []) {
          looks -= 1;
          if (looks < 0) break;
          const [leader] = entry.cluster;
          const apart = timesApart(leader, journey);
          if (apart === undefined || (around === OWN_CELL && apart > 0)) continue;
          if (!found || (apart - least || compare(leader, found.cluster[0])) < 0) {
            found = entry;
            least = apart;
          }
        }
      }
    }
    return found;
  }

  for (const cluster of clusters) {
    const facts: Facts = new Map();
    for (const member of cluster) learn(facts, factsOf(member));
    add({ cluster, facts });
  }
  const opened: Entry[] = [];
  for (const journey of loose.sort(compare)) {
    const facts = factsOf(journey);
    const entry = nearest(journey, facts, OWN_CELL);
    if (entry) {
      join(entry, { cluster: [journey], facts });
    } else {
      const own: Entry = { cluster: [journey], facts };
      opened.push(own);
      add(own);
    }
  }
  for (const own of opened) remove(own);
  for (const own of opened) {
    const entry = nearest(own.cluster[0], own.facts, AROUND);
    if (entry) {
      join(entry, own);
    } else {
      clusters.push(own.cluster);
      add(own);
    }
  }

  function join(entry: Entry, { cluster, facts }: Entry): void {
    entry.cluster.push(...cluster);
    if ([...facts].every(([name, value]) => entry.facts.get(name) === value)) return;
    remove(entry);
    learn(entry.facts, facts);
    add(entry);
  }
}

/** Returns the entries of a group that facts do not contradict. */
function alike({ names, entries, indexes }: Group, facts: Facts): Iterable<Entry> {
  const shared = names.filter((name) => facts.has(name));
  const key = shared.join();
  let index = indexes.get(key);
  if (index === undefined) {
    if (indexes.size === MOST_INDEXES) return [];
    index = { names: shared, byValues: new Map() };
    indexes.set(key, index);
    for (const entry of entries) addTo(index, entry);
  }
  return index.byValues.get(valuesOf(facts, shared)) ?? [];
}

function addTo({ names, byValues }: Index, entry: Entry): void {
  getOrAdd(byValues, valuesOf(entry.facts, names), () => new Set<Entry>()).add(entry);
}

function valuesOf(facts: Facts, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => facts.get(name)));
}

function learn(known: Facts, facts: Facts): void {
  for (const [name, value] of facts) {
    known.set(name, (known.get(name) ?? value) === value ? value : MANY);
  }
}

function factsOf(journey: Journey): Facts {
  const facts: Facts = new Map();
  for (const [index, ride] of ridesOf(journey.legs).entries()) {
    // A carrier's own code of an operator contradicts no other code.
    const operator = ride.operator?.includes(':') ? undefined : ride.operator;
    const named = { ...splitName(ride), operator };
    for (const name of ['brand', 'operator', 'number'] as const) {
      const value = named[name];
      if (value !== undefined) facts.set(name + index, value.toLowerCase());
    }
  }
  if (!isNumbered(journey)) {
    const times = `${journey.departure.ms} ${journey.arrival.ms}`;
    for (const source of journey.sources) facts.set(`by ${source}`, times);
  }
  return facts;
}

/** A brand that ends with the number of the train, which other carriers list by itself: one or two digits may be the number of a line. */
const NUMBERED = /^(\D{1,40}?) ?(\d{3,6})$/;

/** Returns brand and number, the number not in the brand. */
function splitName(ride: RideLeg): Pick<RideLeg, 'brand' | 'number'> {
  const { brand = '', number } = ride;
  const [, own, last] = NUMBERED.exec(brand) ?? [];
  if (own === undefined || last === undefined || last !== (number ?? last)) return ride;
  return { brand: own, number: last };
}

/** Returns the number of the two minutes of a journey's departure and of its arrival. */
function cellOf({ departure, arrival }: Journey): number {
  return Math.floor(departure.ms / SAME_TIMES_MS) * ROW + Math.floor(arrival.ms / SAME_TIMES_MS);
}

function timesApart(a: Journey, b: Journey): number | undefined {
  const departure = Math.abs(a.departure.ms - b.departure.ms);
  const arrival = Math.abs(a.arrival.ms - b.arrival.ms);
  return departure <= SAME_TIMES_MS && arrival <= SAME_TIMES_MS ? departure + arrival : undefined;
}
