import type { Leg, RideLeg, TransferLeg } from './journey.ts';

const MINUTE_MS = 60_000;

/** Returns when a train is expected to leave, or is planned to. */
function leavesMs({ expectedDeparture, departure }: RideLeg): number {
  return (expectedDeparture ?? departure).ms;
}

/** Returns when a train is expected to arrive, or is planned to. */
function arrivesMs({ expectedArrival, arrival }: RideLeg): number {
  return (expectedArrival ?? arrival).ms;
}

/** Returns whether a train is expected to leave when the one before it has arrived. */
export function isCaught(before: RideLeg, after: RideLeg): boolean {
  return leavesMs(after) >= arrivesMs(before);
}

/** Returns the minutes of the ways after the last train. */
export function minutesAfterLast(legs: readonly Leg[]): number {
  let minutes = 0;
  for (let at = legs.length - 1; at >= 0; at -= 1) {
    const leg = legs[at] as Leg;
    if (leg.kind === 'ride') break;
    minutes += countedMinutes(leg);
  }
  return minutes;
}

/** Returns the minutes from door to door: those of the ways at both ends, and between them those of the trains as they are expected. */
export function doorToDoorMinutes(legs: readonly Leg[]): number {
  let first: RideLeg | undefined;
  let last: RideLeg | undefined;
  let minutes = minutesAfterLast(legs);
  for (const leg of legs) {
    if (leg.kind === 'ride') {
      first ??= leg;
      last = leg;
    } else if (first === undefined) {
      minutes += countedMinutes(leg);
    }
  }
  if (first === undefined || last === undefined) return minutes;
  return Math.max(0, Math.round((arrivesMs(last) - leavesMs(first)) / MINUTE_MS + minutes));
}

function countedMinutes({ minutes, nearby }: TransferLeg): number {
  return nearby ? 0 : minutes;
}

/** Returns legs with `risk: 'missed'` at each transfer to a train that is expected to have left: the same list without one. */
export function withMissed(legs: readonly Leg[]): readonly Leg[] {
  let before: RideLeg | undefined;
  let marked: Leg[] | undefined;
  legs.forEach((leg, index) => {
    if (leg.kind !== 'ride') return;
    const way = legs[index - 1];
    const isKnown = before !== undefined && !before.cancelled && !leg.cancelled;
    if (isKnown && way?.kind === 'transfer' && !isCaught(before as RideLeg, leg)) {
      marked ??= [...legs];
      marked[index - 1] = { ...way, risk: 'missed' };
    }
    before = leg;
  });
  return marked ?? legs;
}
