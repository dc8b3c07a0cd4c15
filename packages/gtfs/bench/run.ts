// Measures reading, memory and searches of made feeds of three sizes, beside a public planner on feeds that it reads in minutes, and
// writes the tables between the marks in docs/measurements. `--quick` for a look: the smallest size alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  benchFlags,
  circumstances,
  table as markdown,
  median,
  quantile,
  report,
  three,
} from '@ticketing/bench-kit';
import { type CarrierQuery, createLocalClock, type Station } from '@ticketing/core';
import { Query, Router, Time } from 'minotor';
import { GtfsParser } from 'minotor/parser';
import { createGtfsCarrier, readGtfs } from '../src/index.ts';
import { DAY, type FeedSize, makeFeed, randomFrom, SIZES } from './make-feed.ts';

const flags = benchFlags({ rounds: 5 }, { quickLengths: { rounds: 1 } });
/** Questions to a feed. One to a country takes more than a second. */
const pairsOf = ({ name }: FeedSize): number =>
  flags.quick ? 50 : name === 'a country' ? 100 : 400;
/** Sizes that the planner reads. */
const PLANNED: readonly string[] = ['a city', 'a region'];
const EIGHT = createLocalClock().epoch(`${DAY}T08:00`, 'Europe/Madrid');

interface Row {
  readonly size: string;
  readonly program: string;
  readonly stopTimes: number;
  readonly readMs: number;
  readonly heldMb: number;
  readonly queriesMs: readonly number[];
}

/** A program that has read a feed. */
interface Reader {
  /** Returns the earliest arrival after eight in the morning, epoch ms, `undefined` if there is none. */
  ask(from: string, to: string): Promise<number | undefined>;
}

async function readOurs(path: string): Promise<Reader> {
  const feed = await readGtfs(path, { changeMinutes: 0 });
  const codeOf = ({ id }: { readonly id: string }) => ({ system: 'stop', code: id });
  const carrier = createGtfsCarrier({ id: 'x', name: 'X', feed, codeOf });
  const http = { send: () => Promise.reject(new Error('no network')) };
  const context = {
    signal: new AbortController().signal,
    deadline: Number.POSITIVE_INFINITY,
    http,
  };
  return {
    async ask(from, to) {
      const [origin, destination] = [stationOf(from), stationOf(to)];
      const query: CarrierQuery = { origin, destination, date: DAY, passengers: [{}] };
      const { journeys } = carrier.normalise(await carrier.request(query, context), query);
      const arrivals = journeys.filter(({ departure }) => departure.ms >= EIGHT);
      return arrivals.length === 0 ? undefined : Math.min(...arrivals.map((one) => one.arrival.ms));
    },
  };
}

async function readTheirs(path: string): Promise<Reader> {
  const { timetable, stopsIndex } = await new GtfsParser(path).parse(new Date(`${DAY}T12:00:00Z`));
  const router = new Router(timetable, stopsIndex);
  const midnight = EIGHT - 8 * 3_600_000;
  return {
    async ask(from, to) {
      const query = new Query.Builder()
        .from(from)
        .to(to)
        .departureTime(Time.fromHMS(8, 0, 0))
        .maxTransfers(4)
        .build();
      const arrival = router.route(query).arrivalAt(to);
      return arrival && midnight + arrival.time.toSeconds() * 1000;
    },
  };
}

function stationOf(id: string): Station {
  const codes = { stop: id };
  return { id, name: id, zone: 'Europe/Madrid', country: 'ES', latitude: 0, longitude: 0, codes };
}

async function heldMb(): Promise<number> {
  // What was awaited last is held until the next turn.
  await new Promise(setImmediate);
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

/** Reads a feed some times, by processor time: others wait for the cores too. Then asks it, each question once. */
async function measure(
  program: string,
  {
    size,
    path,
    stopTimes,
    pairs,
    read,
  }: {
    readonly size: FeedSize;
    readonly path: string;
    readonly stopTimes: number;
    readonly pairs: readonly (readonly [from: string, to: string])[];
    readonly read: (path: string) => Promise<Reader>;
  },
): Promise<{ row: Row; arrivals: readonly (number | undefined)[] }> {
  const readMs: number[] = [];
  for (let round = 1; round < flags.rounds; round++) {
    const start = process.cpuUsage();
    await read(path);
    readMs.push(cpuMs(start));
  }
  const before = await heldMb();
  const start = process.cpuUsage();
  const reader = await read(path);
  readMs.push(cpuMs(start));
  const held = (await heldMb()) - before;
  for (const [from, to] of pairs.slice(0, 10)) await reader.ask(from, to);
  const queriesMs: number[] = [];
  const arrivals: (number | undefined)[] = [];
  for (const [from, to] of pairs) {
    const asked = performance.now();
    arrivals.push(await reader.ask(from, to));
    queriesMs.push(performance.now() - asked);
  }
  const row = {
    size: size.name,
    program,
    stopTimes,
    readMs: median(readMs),
    heldMb: held,
    queriesMs,
  };
  return { row, arrivals };
}

function cpuMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** @throws Error if two programs answer differently */
function checkEqual(
  ours: readonly (number | undefined)[],
  theirs: readonly (number | undefined)[],
): void {
  const other = ours.findIndex((arrival, index) => arrival !== theirs[index]);
  if (other < 0) return;
  throw new Error(`Question ${other} has two answers: ${ours[other]} and ${theirs[other]}`);
}

const folder = mkdtempSync(join(tmpdir(), 'gtfs-bench-'));
const rows: Row[] = [];
try {
  for (const size of flags.quick ? SIZES.slice(0, 1) : SIZES) {
    const path = join(folder, 'feed.zip');
    const { zip, stopTimes, stops } = makeFeed(size);
    writeFileSync(path, zip);
    const random = randomFrom(11);
    const stop = (): string => stops[Math.floor(random() * stops.length)] as string;
    const pairs = Array.from({ length: pairsOf(size) }, () => [stop(), stop()] as const).filter(
      ([from, to]) => from !== to,
    );
    const given = { size, path, stopTimes, pairs };
    const ours = await measure('this', { ...given, read: readOurs });
    rows.push(ours.row);
    if (!PLANNED.includes(size.name)) continue;
    const theirs = await measure('minotor 1.0', { ...given, read: readTheirs });
    checkEqual(ours.arrivals, theirs.arrivals);
    rows.push(theirs.row);
  }
} finally {
  rmSync(folder, { recursive: true });
}

report(
  new URL('../../../docs/measurements/gtfs.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/gtfs bench', flags),
    '',
    ...markdown([
      [
        'feed',
        'program',
        'stop times',
        'read, CPU s per million',
        'MB per million',
        'question p50, ms',
        'p99',
      ],
      ...rows.map(({ size, program, stopTimes, readMs, heldMb: held, queriesMs }) => {
        const sorted = queriesMs.toSorted((a, b) => a - b);
        const millions = stopTimes / 1e6;
        return [
          size,
          program,
          stopTimes.toLocaleString('en'),
          three(readMs / 1000 / millions),
          three(held / millions),
          three(quantile(sorted, 0.5)),
          three(quantile(sorted, 0.99)),
        ];
      }),
    ]),
  ],
  flags,
);
