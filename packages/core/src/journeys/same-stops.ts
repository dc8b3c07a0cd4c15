import { foldName } from '../stations/fold-name.ts';
import type { Place, StationId } from '../stations/station-index.ts';

/** One id of each stop that has several, by all of them. */
export type SameStops = ReadonlyMap<StationId, StationId>;

/** A stop, and where it is. */
type Located = Place & { readonly latitude: number; readonly longitude: number };

const NEAR_METRES = 300;
const METRES_PER_DEGREE = 111_195;
/** Cells of at least {@link NEAR_METRES}, as far north as 70 degrees: the cell of a stop and the cells around it have every stop that is near. */
const CELL = { latitude: 0.003, longitude: 0.008 };
const ROW = 2 ** 17;
const AROUND = [-ROW - 1, -ROW, -ROW + 1, -1, 0, 1, ROW - 1, ROW, ROW + 1];
/** Maximum number of stops that are compared with one stop. Towns have a few. */
const MOST_LOOKS = 64;
/** The first words of a name, which count. */
const MOST_WORDS = 12;
/** Words that one carrier writes in another way, or leaves out. */
const GENERIC = /^(?:bahnhof|bahnhst|bf|bhf|gare|hauptbahnhof|hbf|station)$/;

/**
 * Finds stops that have several ids: they are within 300 m, and the other name has all words of one name. The result does not
 * depend on the order of the places, unless more than 64 are near to one. `undefined`: each has one id.
 */
export function sameStops(places: Iterable<Place>): SameStops | undefined {
  const cells = new Map<number, Located[]>();
  const pairs: [StationId, StationId][] = [];
  const words = new Map<Place, readonly string[]>();
  const wordsOf = (place: Place): readonly string[] => {
    let known = words.get(place);
    if (known === undefined) {
      known = significantWords(place.name);
      words.set(place, known);
    }
    return known;
  };
  for (const place of places) {
    if (!isLocated(place)) continue;
    const cell = cellOf(place);
    let looks = MOST_LOOKS;
    for (const away of AROUND) {
      for (const other of cells.get(cell + away) ?? []) {
        looks -= 1;
        if (looks < 0) break;
        const isNear = metresApart(place, other) <= NEAR_METRES;
        if (isNear && agree(wordsOf(place), wordsOf(other))) pairs.push([place.id, other.id]);
      }
    }
    const here = cells.get(cell);
    if (here === undefined) cells.set(cell, [place]);
    else here.push(place);
  }
  return pairs.length === 0 ? undefined : leastOfEach(pairs);
}

function isLocated(place: Place): place is Located {
  return place.latitude !== undefined && place.longitude !== undefined;
}

function cellOf({ latitude, longitude }: Located): number {
  return Math.floor(latitude / CELL.latitude) * ROW + Math.floor(longitude / CELL.longitude);
}

function metresApart(a: Located, b: Located): number {
  const north = a.latitude - b.latitude;
  const east = (a.longitude - b.longitude) * Math.cos(((a.latitude + b.latitude) * Math.PI) / 360);
  return Math.hypot(north, east) * METRES_PER_DEGREE;
}

function significantWords(name: string): readonly string[] {
  const all = foldName(name).split(' ').filter(Boolean).slice(0, MOST_WORDS);
  const some = all.filter((word) => !GENERIC.test(word));
  return some.length === 0 ? all : some;
}

function agree(a: readonly string[], b: readonly string[]): boolean {
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  return few.length > 0 && few.every((word) => many.includes(word));
}

/** Returns the least id of each set of ids that pairs connect, by every id of it. */
function leastOfEach(pairs: readonly (readonly [StationId, StationId])[]): SameStops {
  const parents = new Map<StationId, StationId>();
  const rootOf = (id: StationId): StationId => {
    let root = id;
    for (let next = parents.get(root); next !== undefined && next !== root; ) {
      root = next;
      next = parents.get(root);
    }
    // The way is short from now on.
    for (let step = id; step !== root; ) {
      const next = parents.get(step) ?? root;
      parents.set(step, root);
      step = next;
    }
    return root;
  };
  for (const [a, b] of pairs) {
    const [one, other] = [rootOf(a), rootOf(b)];
    const [least, greater] = one < other ? [one, other] : [other, one];
    parents.set(greater, least);
    parents.set(least, least);
  }
  return new Map([...parents.keys()].map((id) => [id, rootOf(id)]));
}
