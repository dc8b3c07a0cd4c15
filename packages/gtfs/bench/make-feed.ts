import { strToU8, zipSync } from 'fflate';

/** A size of a feed: lines over a grid of stops, in both directions from five in the morning to eleven at night. */
export interface FeedSize {
  readonly name: string;
  /** Stops on each side of the grid. */
  readonly side: number;
  readonly lines: number;
  readonly stopsPerLine: number;
  /** Minutes between two trips of a line in one direction. */
  readonly headway: number;
}

export const SIZES: readonly FeedSize[] = [
  { name: 'a city', side: 40, lines: 120, stopsPerLine: 25, headway: 33 },
  { name: 'a region', side: 90, lines: 500, stopsPerLine: 30, headway: 32 },
  { name: 'a country', side: 200, lines: 2500, stopsPerLine: 30, headway: 32 },
];
export const DAY = '2026-12-01';

/** A made feed, as the bytes of a zip. */
export interface MadeFeed {
  readonly zip: Uint8Array;
  readonly stopTimes: number;
  readonly stops: readonly string[];
}

/** Makes a feed, each time the same. Every stop is a station of its own, and the feed has no rules of changes. */
export function makeFeed({ side, lines, stopsPerLine, headway }: FeedSize): MadeFeed {
  const random = randomFrom(7);
  const rows: string[] = [
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type',
  ];
  const trips: string[] = ['route_id,service_id,trip_id'];
  const routes: string[] = ['route_id,agency_id,route_short_name,route_type'];
  const called = new Set<string>();
  for (let line = 0; line < lines; line++) {
    routes.push(`r${line},x,L${line},2`);
    const path = pathOf({ side, length: stopsPerLine, random });
    for (const id of path) called.add(id);
    const hops = path.map(() => 120 + 60 * Math.floor(random() * 4));
    const offset = 60 * Math.floor(random() * headway);
    for (const [direction, stops] of [path, path.toReversed()].entries()) {
      for (let start = 5 * 3600 + offset; start < 23 * 3600; start += headway * 60) {
        const trip = `t${line}-${direction}-${start}`;
        trips.push(`r${line},daily,${trip}`);
        let time = start;
        for (const [at, stop] of stops.entries()) {
          rows.push(`${trip},${clock(time)},${clock(time + 30)},${stop},${at},0,0`);
          time += 30 + (hops[at] as number);
        }
      }
    }
  }
  const stops = ['stop_id,stop_name,stop_lat,stop_lon'];
  for (const id of called) {
    const [x, y] = id.slice(1).split('x').map(Number) as [number, number];
    stops.push(`${id},Stop ${id},${(40 + y / 100).toFixed(4)},${(x / 100).toFixed(4)}`);
  }
  const texts = {
    'agency.txt': [
      'agency_id,agency_name,agency_url,agency_timezone',
      'x,X,https://x.example,Europe/Madrid',
    ],
    'calendar.txt': [
      'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
      'daily,1,1,1,1,1,1,1,20261101,20261231',
    ],
    'stops.txt': stops,
    'routes.txt': routes,
    'trips.txt': trips,
    'stop_times.txt': rows,
  };
  const files = Object.entries(texts).map(([name, lineTexts]) => [
    name,
    strToU8(`${lineTexts.join('\n')}\n`),
  ]);
  const zip = zipSync(Object.fromEntries(files), { level: 3 });
  return { zip, stopTimes: rows.length - 1, stops: [...called] };
}

/** A walk over the grid that mostly goes straight on and never turns back. */
function pathOf({
  side,
  length,
  random,
}: {
  readonly side: number;
  readonly length: number;
  readonly random: () => number;
}): string[] {
  let [x, y] = [Math.floor(random() * side), Math.floor(random() * side)];
  let [stepX, stepY] = random() < 0.5 ? [1, 0] : [0, 1];
  const path = new Set<string>();
  while (path.size < length) {
    path.add(`s${x}x${y}`);
    if (random() < 0.15) [stepX, stepY] = random() < 0.5 ? [stepY, stepX] : [-stepY, -stepX];
    x = (x + stepX + side) % side;
    y = (y + stepY + side) % side;
  }
  return [...path];
}

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Returns numbers from 0 to 1, each time the same: mulberry32, by Tommy Ettinger, public domain. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
