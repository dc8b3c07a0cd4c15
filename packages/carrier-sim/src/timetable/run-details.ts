import { type EuropeanLine, europeanLines } from './europe/lines.ts';
import type { TrainRun } from './train.ts';

/** A platform, and another one where the train is expected instead. */
export interface RunPlatform {
  readonly planned: string;
  readonly expected?: string;
}

/** A station between the ends of a run, where the train stops for a minute. */
export interface RunStop {
  /** UIC code. */
  readonly station: string;
  /** Epoch milliseconds. */
  readonly arrivalMs: number;
  readonly departureMs: number;
  readonly platform: RunPlatform;
}

/** What travellers are told of a train, in plain words. */
export interface RunNotice {
  readonly code: string;
  readonly text: string;
}

/** What a timetable knows of a train beside its times: the same for the same train, whoever sells it. */
export interface RunDetails {
  readonly departurePlatform: RunPlatform;
  readonly arrivalPlatform: RunPlatform;
  /** In order. None of the Spanish network is known. */
  readonly stops: readonly RunStop[];
  readonly notices: readonly RunNotice[];
}

const minuteMs = 60_000;

const notices: readonly RunNotice[] = [
  { code: 'QUIET', text: 'Coach 3 is quiet & without telephones' },
  { code: 'BIKE', text: 'Bicycles need a reservation' },
  { code: 'BISTRO', text: 'Café from 7:00 to 21:00' },
];

/** Returns what is known of a run, or of a part of one. */
export function runDetailsOf(run: TrainRun): RunDetails {
  const number = Number(run.number);
  return {
    departurePlatform: platformAt(run, run.origin),
    arrivalPlatform: platformAt(run, run.destination),
    stops: stopsOf(run),
    // One in three trains has none.
    notices: notices.filter((_notice, index) => number % 3 > index),
  };
}

/** Some late trains leave from another platform. */
function platformAt({ number, delayMinutes }: TrainRun, station: string): RunPlatform {
  const platform = 1 + ((Number(number) + Number(station)) % 14);
  const isMoved = delayMinutes !== undefined && delayMinutes % 3 === 0;
  return { planned: String(platform), ...(isMoved && { expected: `${platform + 1}A` }) };
}

function stopsOf(run: TrainRun): readonly RunStop[] {
  const line = europeanLines.find((one) => isOf(one, run));
  if (line === undefined) return [];
  const minutesTo = (uic: string): number => line.stops.find(([stop]) => stop === uic)?.[1] ?? 0;
  const [from, to] = [minutesTo(run.origin), minutesTo(run.destination)];
  const between = line.stops.filter(
    ([, minutes]) => minutes > Math.min(from, to) && minutes < Math.max(from, to),
  );
  return (from < to ? between : [...between].reverse()).map(([station, minutes]): RunStop => {
    const departureMs = run.departureMs + Math.abs(minutes - from) * minuteMs;
    const platform = platformAt(run, station);
    return { station, arrivalMs: departureMs - minuteMs, departureMs, platform };
  });
}

/** A number is of one line; numbers that no line has are those of extra trains, and of parts of trains. */
function isOf(
  line: EuropeanLine,
  { brand, operator, line: name, number, ...run }: TrainRun,
): boolean {
  const calls = (uic: string): boolean => line.stops.some(([stop]) => stop === uic);
  const isSame = line.brand === brand && line.operator === operator && line.name === name;
  if (!isSame || !calls(run.origin) || !calls(run.destination)) return false;
  const isListed = (one: EuropeanLine): boolean =>
    Object.hasOwn(one.outward, number) || Object.hasOwn(one.back, number);
  return isListed(line) || !europeanLines.some((one) => one.brand === brand && isListed(one));
}
