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

/** Returns the minutes of the ways before the first train. */
export function minutesBeforeFirst(legs: readonly Leg[]): number {
  let minutes = 0;
  for (const leg of legs) {
    if (leg.kind === 'ride') break;
    minutes += countedMinutes(leg);
  }
  return minutes;
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

/** Returns the minutes from door to door: of the ways at both ends, and between them of the trains by expected times. */
export function doorToDoorMinutes(legs: readonly Leg[]): number {
  let first: RideLeg | undefined;
  let last: RideLeg | undefined;
  for (const leg of legs) {
    if (leg.kind !== 'ride') continue;
    first ??= leg;
    last = leg;
  }
  const onFoot = minutesBeforeFirst(legs) + minutesAfterLast(legs);
  if (first === undefined || last === undefined) return onFoot;
  return Math.max(0, Math.round((arrivesMs(last) - leavesMs(first)) / MINUTE_MS + onFoot));
}

function countedMinutes({ minutes, nearby }: TransferLeg): number {
  return nearby ? 0 : minutes;
}

/**
 * Returns legs with the risk of each connection, as far as expected times show it: the same list without one. A risk that is there
 * stays, unless it is worse. Trains that miss each other and have no way between them get one, of no minutes, to be marked.
 */
export function withRisks(legs: readonly Leg[]): readonly Leg[] {
  if (legs.length === 1) return legs;
  const marked: Leg[] = [];
  let before: RideLeg | undefined;
  let minutes = 0;
  let isMarked = false;
  for (const leg of legs) {
    if (leg.kind === 'transfer') {
      minutes += countedMinutes(leg);
      marked.push(leg);
      continue;
    }
    const risk = before && riskBetween(before, leg, minutes);
    const way = marked.at(-1);
    if (before !== undefined && risk !== undefined) {
      if (way?.kind !== 'transfer') {
        const [origin, destination] = [before.destination, leg.origin];
        marked.push({ kind: 'transfer', origin, destination, minutes: 0, risk });
        isMarked = true;
      } else if (way.risk !== risk && way.risk !== 'missed') {
        marked[marked.length - 1] = { ...way, risk };
        isMarked = true;
      }
    }
    marked.push(leg);
    before = leg;
    minutes = 0;
  }
  return isMarked ? marked : legs;
}

function riskBetween(before: RideLeg, after: RideLeg, minutes: number): TransferLeg['risk'] {
  if (before.cancelled || after.cancelled) return undefined;
  const leftMs = leavesMs(after) - arrivesMs(before);
  if (leftMs < 0) return 'missed';
  // A connection that is planned to be shorter than its way is held: carriers sell it.
  const isShorter = leftMs < after.departure.ms - before.arrival.ms;
  return isShorter && leftMs < minutes * MINUTE_MS ? 'tight' : undefined;
}
