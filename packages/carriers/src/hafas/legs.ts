import type { Leg, RideLeg, TransferLeg } from '@ticketing/core';
import { LeftOut, type WirePlace } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type Call, type ConnectionDecoder, callsOf, zonesBeside } from './calls.ts';
import { minutesOf } from './hafas-time.ts';
import { rideOf } from './rides.ts';

/** The legs of a connection. */
export interface ConnectionLegs {
  readonly legs: readonly Leg[];
  /** True if a time without an offset means another instant on the clocks of the server. */
  readonly isAmbiguous: boolean;
}

/** Ways by another vehicle: such a connection is no journey here. Any other section that is no ride is a way on foot. */
const VEHICLES: ReadonlySet<string> = new Set(['BIKE', 'CAR', 'KISS', 'PARK', 'TAXI', 'TETA']);

/**
 * Reads the sections of a connection: rides, and the ways between them and at the ends. `CHKI` is the time of a check-in, `DEVI` leads
 * to a station near the one that was asked for, and its times are none of a way.
 *
 * @throws LeftOut for a section by another vehicle, or one that leaves the way between two rides
 */
export function readLegs(decoder: ConnectionDecoder, connection: WireRecord): ConnectionLegs {
  const { read } = decoder.row;
  const legs: Leg[] = [];
  let sinceMs: number | undefined;
  let isAmbiguous = false;
  let deviates = false;
  // Of the change after the ride before.
  let shortest: number | undefined;
  const sections = read.records(connection['secL'], 'secL');
  const calls = { ...decoder, zones: zonesBeside(decoder, sections) };
  for (const section of sections) {
    const kind = read.text(section, 'type');
    if (VEHICLES.has(kind)) throw new LeftOut(`with a section ${kind}`);
    const before = legs.at(-1);
    // Between two rides the way has all the time, with that of a check-in.
    if (kind === 'CHKI' && before?.kind === 'ride') continue;
    const [from, to] = callsOf(calls, section, sinceMs);
    isAmbiguous ||= from.isAmbiguous || to.isAmbiguous;
    if (kind === 'JNY') {
      if (deviates && legs.some(isRide)) throw new LeftOut('with a section DEVI between rides');
      deviates = false;
      const ride = rideOf(calls, section, [from, to]);
      if (before?.kind === 'ride') legs.push(changeOf(before, from, shortest));
      legs.push(ride);
      markRisk(legs, section, shortest);
      shortest = minutesOf(section['minChg']);
    } else {
      deviates ||= kind === 'DEVI';
      const way = wayOf(from.place, to.place, to.plannedMs - from.plannedMs);
      legs.push(kind === 'DEVI' ? { ...way, nearby: true } : way);
    }
    sinceMs = to.plannedMs;
  }
  return { legs, isAmbiguous };
}

function isRide({ kind }: Leg): boolean {
  return kind === 'ride';
}

/**
 * Marks the way to the last ride: the server marks a ride that is not reached by expected times, and has the least minutes of each
 * change. A cancelled ride has no risk: it is worse than one.
 */
function markRisk(legs: Leg[], section: WireRecord, shortest: number | undefined): void {
  const [after, way] = [legs.at(-1), legs.at(-2)];
  const before = legs.findLast((leg, at) => at < legs.length - 2 && isRide(leg));
  if (way?.kind !== 'transfer' || before?.kind !== 'ride' || after?.kind !== 'ride') return;
  if (before.cancelled || after.cancelled) return;
  const isMissed = (Object(section['jny']) as WireRecord)['isRchbl'] === false;
  const leavesMs = (after.expectedDeparture ?? after.departure).ms;
  const minutes = (leavesMs - (before.expectedArrival ?? before.arrival).ms) / 60_000;
  const isTight = shortest !== undefined && minutes < shortest;
  if (isMissed || isTight) legs[legs.length - 2] = { ...way, risk: isMissed ? 'missed' : 'tight' };
}

function wayOf(from: WirePlace, to: WirePlace, ms: number): TransferLeg {
  if (ms < 0) throw new LeftOut('with a walk that ends before it begins');
  return {
    kind: 'transfer',
    origin: from.id,
    destination: to.id,
    minutes: Math.round(ms / 60_000),
  };
}

/**
 * Returns the way between two rides without a section for it: it takes the least minutes of a change. The whole time between the
 * rides would leave none for a late ride.
 */
function changeOf(before: RideLeg, from: Call, shortest: number | undefined): Leg {
  const { destination: origin } = before;
  return { kind: 'transfer', origin, destination: from.place.id, minutes: shortest ?? 0 };
}
