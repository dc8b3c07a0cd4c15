import { hashText, rendezvousWeight } from '../routing/rendezvous.ts';
import type { WorkerLane } from './worker-lane.ts';

/**
 * The least loaded of the lanes; among equals the first from `start` on, so that a growing `start` takes turns.
 * None when there are none.
 */
export function leastLoaded(lanes: readonly WorkerLane[], start: number): WorkerLane | undefined {
  let chosen: WorkerLane | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (let step = 0; step < lanes.length; step++) {
    const lane = lanes[(start + step) % lanes.length] as WorkerLane;
    const { load } = lane;
    if (load < lowest) {
      lowest = load;
      chosen = lane;
    }
  }
  return chosen;
}

/** With so few connections no worker is overloaded, whatever the mean: their keys stay. */
const SMALL_LOAD = 8;

/** How many connections a lane may have with one more, when it may have `loadFactor` times the mean. */
export function loadBound(lanes: readonly WorkerLane[], loadFactor: number): number {
  let total = 1;
  for (const lane of lanes) total += lane.load;
  return Math.ceil((loadFactor * total) / lanes.length);
}

/**
 * The lane of a key: the one with the greatest weight among those that would have at most `loadFactor` times the mean
 * load with it, or at most 8. There is always one, if there are lanes.
 *
 * Bounded loads: Mirrokni, Thorup and Zadimoghaddam, "Consistent hashing with bounded loads", SODA 2018.
 */
export function laneOfKey(
  lanes: readonly WorkerLane[],
  key: string,
  loadFactor: number,
): WorkerLane | undefined {
  const bound = Math.max(SMALL_LOAD, loadBound(lanes, loadFactor));
  const hash = hashText(key);
  let chosen: WorkerLane | undefined;
  let highest = -1;
  for (const lane of lanes) {
    const weight = rendezvousWeight(hash, lane.slotHash);
    if (weight > highest && lane.load < bound) {
      highest = weight;
      chosen = lane;
    }
  }
  return chosen;
}
