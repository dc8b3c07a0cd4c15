import { stationOf } from '../network.ts';
import { createRandom } from '../random.ts';
import type { Train, TrainRun, TrainSection } from '../train.ts';
import { europeanChanges, europeanLines } from './lines.ts';
import { hasTrain, sectionOf } from './list-runs.ts';

/** A platform, and another one where a late train is sent to. */
export interface SimPlatform {
  readonly planned: string;
  /** Absent: nothing is expected yet. */
  readonly expected?: string;
}

/** Notices of a train for passengers. */
export interface SimRemark {
  readonly kind: 'disruption' | 'info';
  readonly code: string;
  /** Sentences, each of which wires may write in a field of its own. */
  readonly texts: readonly [string, ...string[]];
}

/** Planned stops of a train between its ends. */
export interface SimStop {
  /** UIC code. */
  readonly station: string;
  readonly arrivalMs: number;
  readonly departureMs: number;
  readonly platform: SimPlatform;
}

/** Platforms, notices, stops and couplings of a train. */
export interface RunDetails {
  readonly departurePlatform: SimPlatform;
  readonly arrivalPlatform: SimPlatform;
  readonly remarks: readonly SimRemark[];
  /** Stops between the ends of the run. */
  readonly stops: readonly SimStop[];
  /** Numbers of the trains that run with it. */
  readonly coupled: readonly string[];
  /** Emissions for each passenger. Absent: the operator publishes none of this train. */
  readonly emissions?: SimEmissions;
}

/** Emissions of a train, as a factor and the length of its track. */
export interface SimEmissions {
  /** Whole grams of CO2 equivalent for each passenger and kilometre. */
  readonly gramsPerKm: number;
  readonly metres: number;
}

const minuteMs = 60_000;
/** Late by as many minutes, a train loses its platform. */
const LOST_AFTER = 15;

/** Returns the details of a train of the network beyond the Spanish one: the same for the same train. */
export function describeRun(run: TrainRun | (TrainRun & TrainSection)): RunDetails {
  return {
    departurePlatform: platformAt(run, run.origin),
    arrivalPlatform: platformAt(run, run.destination),
    remarks: remarksOf(run),
    stops: stopsOf(run),
    coupled: isCoupled(run) ? [String(Number(run.number) + 3)] : [],
    ...(Number(run.number) % 5 !== 0 && { emissions: emissionsOf(run) }),
  };
}

/** Lines are longer than the way of a bird. */
const DETOUR = 1.15;
const METRES_PER_DEGREE = 111_195;

function emissionsOf({ number, origin, destination }: TrainRun): SimEmissions {
  const [from, to] = [stationOf(origin), stationOf(destination)];
  const north = (to.latitude ?? 0) - (from.latitude ?? 0);
  const middle = (((to.latitude ?? 0) + (from.latitude ?? 0)) / 2) * (Math.PI / 180);
  const east = ((to.longitude ?? 0) - (from.longitude ?? 0)) * Math.cos(middle);
  const metres = Math.round(Math.hypot(north, east) * METRES_PER_DEGREE * DETOUR);
  return { gramsPerKm: 4 + (Number(number) % 7), metres };
}

/** Returns what is said of a whole journey. */
export function describeJourney(train: Train): readonly SimRemark[] {
  const runs = train.connection ?? [train];
  if (!runs.some(({ cancelled }) => cancelled)) return [];
  const texts = ['A train of this journey does not run'] as const;
  return [{ kind: 'disruption', code: 'text.realtime.connection.cancelled', texts }];
}

/** Returns the fewest minutes between two trains of a journey. */
export function shortestChange(before: TrainRun, after: TrainRun): number {
  const known = europeanChanges.find(
    ({ from, to }) => from === before.destination && to === after.origin,
  );
  return known?.shortest ?? 0;
}

function platformAt({ brand, number, delayMinutes }: TrainRun, uic: string): SimPlatform {
  const draw = createRandom(`${uic}/${brand}/${number}`);
  const planned = 1 + draw.below(14);
  const sector = draw.below(4) === 0 ? 'A-C' : '';
  if (delayMinutes === undefined) return { planned: `${planned}${sector}` };
  const isLost = delayMinutes >= LOST_AFTER;
  return {
    planned: `${planned}${sector}`,
    expected: isLost ? String(planned + 1) : `${planned}${sector}`,
  };
}

function remarksOf({ brand, number, delayMinutes, cancelled }: TrainRun): readonly SimRemark[] {
  const draw = createRandom(`remarks/${brand}/${number}`);
  const remarks: SimRemark[] = [];
  if (cancelled)
    remarks.push({
      kind: 'disruption',
      code: 'text.realtime.journey.cancelled',
      texts: ['Cancelled'],
    });
  else if (delayMinutes !== undefined)
    remarks.push({ kind: 'disruption', code: 'delay', texts: ['Delay of a previous train'] });
  if (draw.below(6) === 0) {
    const texts = ['Construction work', 'Trains may be late, & platforms may change.'] as const;
    remarks.push({ kind: 'disruption', code: '40017', texts });
  }
  remarks.push({ kind: 'info', code: 'FR', texts: ['Bicycles need a reservation'] });
  if (draw.below(2) === 0)
    remarks.push({ kind: 'info', code: 'BR', texts: ['Restaurant on board'] });
  return remarks;
}

function stopsOf(run: TrainRun): readonly SimStop[] {
  for (const [index, line] of europeanLines.entries()) {
    const section = sectionOf(line, run);
    if (section === undefined || line.brand !== run.brand) continue;
    if (!hasTrain(line, index, run.number)) continue;
    return line.stops
      .flatMap(([station]) => {
        const own = sectionOf(line, { origin: run.origin, destination: station });
        if (own === undefined || own.from !== section.from || own.departures !== section.departures)
          return [];
        if (own.to <= section.from || own.to >= section.to) return [];
        const departureMs = run.departureMs + (own.to - section.from) * minuteMs;
        const platform = platformAt(run, station);
        return [{ station, arrivalMs: departureMs - minuteMs, departureMs, platform }];
      })
      .sort((a, b) => a.departureMs - b.departureMs);
  }
  return [];
}

function isCoupled({ brand, number }: TrainRun): boolean {
  return brand === 'ICE' && Number(number) % 4 === 1;
}
