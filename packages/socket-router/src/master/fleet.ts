import type { RouterWorker, WorkerSource } from '../contract/worker-source.ts';
import type { DoorFolder } from './door-folder.ts';
import type { ConnectionEvents, LaneEvents } from './lane-events.ts';
import type { RouterEmitter } from './router-emitter.ts';
import { WorkerLane } from './worker-lane.ts';

export interface FleetOptions {
  readonly source: WorkerSource;
  /** The router's id, in every message. */
  readonly router: string;
  readonly affinity: 'connection' | 'forward' | 'close';
  readonly claimTimeoutMs: number;
  readonly maxWaitMs: number;
  readonly stuckTimeoutMs: number;
  /** Present when the workers open unix sockets. */
  readonly doors: DoorFolder | undefined;
  /** Workers may reach each other's doors. */
  readonly tellPeers: boolean;
  readonly emitter: RouterEmitter;
}

export interface FleetEvents extends ConnectionEvents {
  /** The ready workers are others than before. */
  changed(): void;
}

/** All workers of a router: a lane for each process that its source has told of and that has not ended. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #laneEvents: LaneEvents;
  readonly #changed: () => void;
  readonly #lanes = new Set<WorkerLane>();
  readonly #slots = new Set<string>();
  readonly #doors = new Map<WorkerLane, string>();
  #unsubscribe: (() => void) | undefined;
  /** The lanes that may get connections; another list when that changes. */
  ready: readonly WorkerLane[] = [];

  constructor(options: FleetOptions, events: FleetEvents) {
    const { emitter } = options;
    this.#options = options;
    this.#changed = () => events.changed();
    this.#laneEvents = {
      taken: (connection, lane) => events.taken(connection, lane),
      untaken: (connections, lane, reason) => events.untaken(connections, lane, reason),
      gone: (connection) => events.gone(connection),
      overdue: (connection) => events.overdue(connection),
      free: () => events.free(),
      attached: (lane) => this.#greet(lane),
      ready: (lane) => {
        emitter.emit('worker-ready', { slot: lane.worker.slot, pid: lane.worker.pid });
        this.#update();
      },
      stuck: (lane) => {
        this.#update();
        emitter.emit('worker-stuck', { slot: lane.worker.slot, pid: lane.worker.pid });
      },
      lost: (lane) => {
        const { source } = options;
        if (source.replace === undefined) return;
        emitter.emit('worker-replaced', { slot: lane.worker.slot, pid: lane.worker.pid });
        source.replace(lane.worker);
      },
      retired: () => this.#update(),
      down: (lane) => {
        this.#lanes.delete(lane);
        this.#doors.delete(lane);
        this.#update();
        emitter.emit('worker-down', { slot: lane.worker.slot, pid: lane.worker.pid });
      },
    };
  }

  get lanes(): Iterable<WorkerLane> {
    return this.#lanes;
  }

  start(): void {
    this.#unsubscribe = this.#options.source.subscribe((worker) => this.#join(worker));
  }

  /** Whether there was ever a worker in a slot. */
  knowsSlot(slot: string): boolean {
    return this.#slots.has(slot);
  }

  doorOf(lane: WorkerLane): string | undefined {
    return this.#doors.get(lane);
  }

  /** Tells the workers that the drain is near, while what is in the router's hand still goes to them. */
  announceDrain(): void {
    for (const lane of this.#lanes) lane.tell({ kind: 'closing' });
  }

  /** Lets the workers finish what they have of this router; cut off after the grace. */
  async drain(graceMs: number): Promise<void> {
    await Promise.all([...this.#lanes].map((lane) => lane.drain(graceMs)));
  }

  /** Hears and says nothing more. */
  release(): void {
    this.#unsubscribe?.();
    for (const lane of this.#lanes) lane.release();
    this.#lanes.clear();
  }

  #join(worker: RouterWorker): void {
    const { router, claimTimeoutMs, maxWaitMs, stuckTimeoutMs, doors } = this.#options;
    const events = this.#laneEvents;
    const lane = new WorkerLane(worker, {
      router,
      claimTimeoutMs,
      maxWaitMs,
      stuckTimeoutMs,
      events,
    });
    this.#lanes.add(lane);
    this.#slots.add(worker.slot);
    if (doors !== undefined) this.#doors.set(lane, doors.nextDoor());
    this.#greet(lane);
  }

  /** Again when the worker says that it is attached, since a greeting before that may have been heard by nobody. */
  #greet(lane: WorkerLane): void {
    const door = this.#doors.get(lane);
    lane.tell({
      kind: 'hello',
      affinity: this.#options.affinity,
      slot: lane.worker.slot,
      ...(door !== undefined && { door }),
    });
  }

  #update(): void {
    const ready = [...this.#lanes].filter((lane) => lane.state === 'ready');
    if (sameLanes(ready, this.ready)) return;
    this.ready = ready;
    if (this.#options.tellPeers) this.#tellPeers();
    this.#changed();
  }

  #tellPeers(): void {
    const peers = this.ready.map((lane) => ({
      slot: lane.worker.slot,
      door: this.#doors.get(lane) as string,
    }));
    for (const lane of this.ready) lane.tell({ kind: 'peers', peers });
  }
}

function sameLanes(some: readonly WorkerLane[], others: readonly WorkerLane[]): boolean {
  return some.length === others.length && some.every((lane, index) => lane === others[index]);
}
