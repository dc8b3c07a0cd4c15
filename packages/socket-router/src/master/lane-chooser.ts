import type { Choice } from '../routing/decide.ts';
import { laneOfKey, leastLoaded } from './choose-lane.ts';
import type { Fleet } from './fleet.ts';
import type { WorkerLane } from './worker-lane.ts';

/** Why there is no worker for a connection. */
export type NoPlace = 'not-taken' | 'slot-unknown' | 'queue-full' | 'queue-slow';

export interface LaneChooserOptions {
  readonly loadFactor: number;
  /** Whether a lane may get one more. */
  readonly hasRoom: (lane: WorkerLane) => boolean;
}

/** Finds the lane for a choice among those that are ready. */
export class LaneChooser {
  readonly #fleet: Fleet;
  readonly #options: LaneChooserOptions;
  #turn = 0;

  constructor(fleet: Fleet, options: LaneChooserOptions) {
    this.#fleet = fleet;
    this.#options = options;
  }

  /** `wait` when the lane that there will be is not ready yet; `avoid` are lanes that were tried in vain. */
  find(choice: Choice, avoid?: ReadonlySet<WorkerLane>): WorkerLane | 'wait' | NoPlace {
    if (choice.kind === 'slot' && !this.#fleet.knowsSlot(choice.slot)) return 'slot-unknown';
    const usable = this.#lanesFor(choice);
    const lanes = avoid === undefined ? usable : usable.filter((lane) => !avoid.has(lane));
    if (lanes.length === 0) return 'wait';
    const { hasRoom } = this.#options;
    const chosen = this.#choose(lanes, choice);
    if (hasRoom(chosen)) return chosen;
    return leastLoaded(lanes.filter(hasRoom), 0) ?? 'queue-full';
  }

  #lanesFor(choice: Choice): readonly WorkerLane[] {
    const { ready } = this.#fleet;
    return choice.kind === 'slot'
      ? ready.filter((lane) => lane.worker.slot === choice.slot)
      : ready;
  }

  #choose(lanes: readonly WorkerLane[], choice: Choice): WorkerLane {
    this.#turn = (this.#turn + 1) % lanes.length;
    const chosen =
      choice.kind === 'key'
        ? laneOfKey(lanes, choice.key, this.#options.loadFactor)
        : leastLoaded(lanes, this.#turn);
    return chosen ?? (lanes[0] as WorkerLane);
  }
}
