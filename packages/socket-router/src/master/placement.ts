import type { Fleet } from './fleet.ts';
import type { HeldConnection } from './held-connection.ts';
import { LaneChooser, type NoPlace } from './lane-chooser.ts';
import type { WorkerLane } from './worker-lane.ts';

/** How often a connection is sent to workers that do not take it. */
const MAX_ATTEMPTS = 5;

export interface PlacementOptions {
  readonly loadFactor: number;
  readonly queuePerWorker: number;
  /** For those who have no place, with the reason. */
  readonly refuse: (connection: HeldConnection, reason: NoPlace) => void;
}

/** Gives a connection to a lane, lets it wait for one, or refuses it when there will be none. */
export class Placement {
  readonly #refuse: (connection: HeldConnection, reason: NoPlace) => void;
  readonly #chooser: LaneChooser;
  readonly #lobby = new Set<HeldConnection>();

  constructor(fleet: Fleet, { loadFactor, queuePerWorker, refuse }: PlacementOptions) {
    this.#refuse = refuse;
    this.#chooser = new LaneChooser(fleet, {
      loadFactor,
      hasRoom: (lane) => lane.queued < queuePerWorker,
    });
  }

  get waiting(): number {
    return this.#lobby.size;
  }

  place(connection: HeldConnection): void {
    if (connection.stage === 'done') return;
    const place = this.#find(connection);
    if (place === 'wait') this.#wait(connection);
    else if (typeof place === 'string') this.#refuse(connection, place);
    else place.enqueue(connection);
  }

  /** Places those that wait, as far as there are places now. */
  retry(): void {
    const waiting = [...this.#lobby];
    this.#lobby.clear();
    for (const connection of waiting) this.place(connection);
  }

  /** Forgets one that waits. */
  leave(connection: HeldConnection): void {
    this.#lobby.delete(connection);
  }

  #find({ attempts, choice }: HeldConnection): WorkerLane | 'wait' | NoPlace {
    return attempts >= MAX_ATTEMPTS ? 'not-taken' : this.#chooser.find(choice);
  }

  #wait(connection: HeldConnection): void {
    connection.stage = 'waiting';
    this.#lobby.add(connection);
  }
}
