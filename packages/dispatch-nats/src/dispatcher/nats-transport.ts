import type { DispatchError } from '@ticketing/dispatch';
import type {
  Capabilities,
  Transport,
  WorkerEvents,
  WorkerHandle,
  WorkerStart,
} from '@ticketing/dispatch/transport';
import type { Clock } from '@ticketing/kit';
import type { NatsFleetStats, NatsLossSign } from '../contract.ts';
import { PROTOCOL, readAnnouncement, V8_FORMAT } from '../fleet/announcement.ts';
import { Fleet, type KnownHost } from '../fleet/fleet.ts';
import { publishHostEvent } from '../fleet/host-events.ts';
import { newIdentity, subjectsOf } from '../fleet/subjects.ts';
import { type LinkOptions, NatsLink } from '../link/nats-link.ts';
import { NatsWorker } from './nats-worker.ts';
import { noHost } from './no-host.ts';
import { idleMsOf, TICKS_OF_BEAT } from './pulse.ts';
import type { Refused, WorkerContext } from './worker-context.ts';
import { ZoneGate } from './zone-gate.ts';

/** Options of a dispatcher, resolved. */
export interface TransportOptions {
  readonly nats: LinkOptions['nats'];
  readonly name: string;
  readonly fleet: string;
  readonly tasks: readonly string[];
  readonly hosts: { readonly max: number; readonly zone: string | undefined };
  readonly beatMs: number;
  readonly missedBeats: number;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Most calls that the kernel gives a worker. */
  readonly window: 'auto' | number;
  /** Address of a module that hosts run for this dispatcher, for the conformance suite. */
  readonly module?: string;
}

/** Methods that the transport needs of the pool over it. */
export interface ScaledPool {
  scale(workers: number): Promise<void>;
  recycle(workerId: number): void;
}

const NOTHING = new Uint8Array(0);
/** Milliseconds for calls under way when a server of NATS is about to stop. */
const LEAVE_MS = 1000;
/** Milliseconds between two checks whether these calls have ended. */
const LOOK_MS = 50;

/** Transport whose workers are sessions with announced hosts: one per host, up to `hosts.max`. */
export class NatsTransport implements Transport {
  readonly kind = 'nats';
  readonly capabilities: Capabilities = {
    isolation: 'process',
    hardKill: false,
    transfer: false,
    streams: true,
  };
  readonly mayDifferInSpeed = true;
  readonly extraFrames = ['busy', 'keys-only', 'lost', 'report', 'room'] as const;
  /** Bounds above any that a host grants: the host's own limit applies. */
  readonly autoWindow: Transport['autoWindow'] = { first: 65_536, max: 65_536 };
  readonly id: string;
  readonly fleet: Fleet;
  readonly #options: TransportOptions;
  readonly #link: NatsLink;
  readonly #workers: Map<string, NatsWorker> = new Map();
  readonly #context: WorkerContext<NatsWorker>;
  readonly #prefix: string;
  #pool: ScaledPool | undefined;
  #size = 1;
  #timer: unknown;
  #dueAt: number;
  #ticks = 0;
  #isClosed = false;
  #isSettling = false;
  readonly #zones: ZoneGate;
  /** Time at which the server asked its clients to leave. */
  #leavingAt: number | undefined;
  #leaveTimer: unknown;

  constructor(options: TransportOptions) {
    const { name, fleet, clock, random, hosts, tasks } = options;
    this.#options = options;
    this.id = newIdentity(name, random);
    this.fleet = new Fleet({ fleet, id: this.id, name, tasks, ...hosts });
    this.#zones = new ZoneGate(this.fleet, options.window);
    const subjects = subjectsOf(fleet);
    this.#link = new NatsLink(
      { nats: options.nats, name: `dispatcher ${this.id}`, clock, random },
      {
        connected: () => this.#link.publish(subjects.who, NOTHING),
        disconnected: () => this.#disconnected(),
        leaving: () => {
          if (this.#leavingAt !== undefined) return;
          this.#leavingAt = clock.now();
          for (const worker of this.#workers.values()) worker.holdCalls(true);
          this.#leaveServer();
        },
        ended: ({ reconnects, error }) => {
          publishHostEvent({ type: 'closed', name, host: undefined, reconnects, error });
          if (reconnects) return;
          for (const worker of [...this.#workers.values()]) this.#withoutHost(worker);
        },
        unsent: (message) =>
          publishHostEvent({ type: 'unsent', name, host: undefined, ...message }),
      },
    );
    this.#prefix = subjects.toDispatcher(this.id, '');
    const { length } = this.#prefix;
    this.#link.subscribe(subjects.ofDispatcher(this.id), (message) =>
      this.#workers.get(message.subject.slice(length))?.receive(message),
    );
    this.#link.subscribe(subjects.here, ({ data }) => this.#hear(data));
    const { beatMs, missedBeats, maxMessageBytes, module } = options;
    this.#context = {
      link: this.#link,
      subjects,
      opening: {
        protocol: PROTOCOL,
        v8: V8_FORMAT,
        dispatcher: this.id,
        beatMs,
        missedBeats,
        idleMs: idleMsOf(beatMs),
        maxMessageBytes,
        module,
      },
      now: () => clock.now(),
      hosts: () => this.fleet.hosts.size,
      tasks: () => this.fleet.tasks,
      ready: (worker) => this.#ready(worker),
      withoutHost: (worker) => this.#withoutHost(worker),
      refused: (host, reason) => this.#refused(host, reason),
      leaving: ({ announcement: { id } }) => {
        this.fleet.leaving(id);
        this.#settleSoon();
      },
      ended: (worker, host, sign) => this.#ended(worker, host, sign),
    };
    this.#dueAt = clock.now();
    this.#tickLater();
  }

  /** Sets the pool that follows the hosts. */
  attach(pool: ScaledPool): void {
    this.#pool = pool;
    this.#settleSoon();
  }

  spawn(start: WorkerStart, events: WorkerEvents): WorkerHandle {
    const worker = new NatsWorker(start, events, this.#context);
    this.#workers.set(String(start.workerId), worker);
    if (this.#link.state === 'closed') queueMicrotask(() => this.#withoutHost(worker));
    else this.#settleSoon();
    return worker;
  }

  homeOf(key: string, workerIds: readonly number[]): number | undefined {
    if (this.fleet.useKeys()) this.#settleSoon();
    const owner = this.fleet.ownerOf(key);
    if (owner === undefined) return undefined;
    return workerIds.find(
      (workerId) => this.#workers.get(String(workerId))?.host?.announcement.id === owner,
    );
  }

  whyUnready(): DispatchError {
    const { state, lastError } = this.#link;
    const taken = new Set<string>();
    for (const { host, isReady } of this.#workers.values()) {
      if (host !== undefined && isReady) taken.add(host.announcement.id);
    }
    return noHost(this.#options, [...this.fleet.hosts.values()], { state, lastError, taken });
  }

  stats(): NatsFleetStats {
    const { state } = this.#link;
    return {
      fleet: this.#options.fleet,
      id: this.id,
      state,
      hosts: [...this.fleet.hosts.values()].map(({ announcement, state: hostState, refused }) => ({
        host: announcement.id,
        zone: announcement.zone,
        revision: announcement.revision,
        capacity: announcement.capacity,
        state: hostState,
        refused,
      })),
      refused: { ...this.fleet.refused },
      lost: { ...this.fleet.lost },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#options.clock.clearTimeout(this.#leaveTimer);
    await this.#link.close();
  }

  #hear(data: Uint8Array): void {
    const announcement = readAnnouncement(data);
    if (announcement === undefined) return;
    if (this.fleet.hear(announcement, this.#options.clock.now())) this.#settleSoon();
  }

  #disconnected(): void {
    this.#leavingAt = undefined;
    this.#options.clock.clearTimeout(this.#leaveTimer);
    this.fleet.cutOff();
    for (const worker of [...this.#workers.values()]) worker.disconnected();
    this.#settleSoon();
  }

  #ready(worker: NatsWorker): void {
    for (const other of this.#workers.values()) {
      if (other !== worker && other.slot === worker.slot && other.workerId < worker.workerId) {
        other.isRetiring = true;
      }
    }
    if (this.#leavingAt !== undefined) worker.holdCalls(true);
    else this.#zones.joined(worker, [...this.#workers.values()]);
    this.#settleSoon();
  }

  #refused(host: KnownHost, reason: Refused): void {
    const { id } = host.announcement;
    if (reason === 'silent') this.fleet.silent(id);
    else if (reason === 'no-responders') this.fleet.loses(id, reason);
    else if (reason === 'leaving') this.fleet.leaving(id);
    else if (reason === 'full') this.fleet.full(id, this.#options.clock.now());
    else {
      this.fleet.refuse(id, reason);
      this.fleet.silent(id);
    }
    this.#settleSoon();
  }

  #ended(worker: NatsWorker, host: KnownHost | undefined, sign: NatsLossSign | undefined): void {
    this.#workers.delete(String(worker.workerId));
    if (host !== undefined && sign !== undefined) this.fleet.loses(host.announcement.id, sign);
    this.#settleSoon();
  }

  #withoutHost(worker: NatsWorker): void {
    // A closed link was passed by the user and has no successor, so another start would fail the same way.
    worker.fail(this.whyUnready(), this.#link.state === 'closed');
  }

  /** Settles once for all events of a turn, and never within a call of the kernel. */
  #settleSoon(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    queueMicrotask(() => {
      this.#isSettling = false;
      if (!this.#isClosed) this.#settle();
    });
  }

  /** Scales the pool to one worker per wanted host, and gives hosts to waiting workers. */
  #settle(): void {
    const size = Math.max(1, this.fleet.wanted.length);
    if (size !== this.#size && this.#pool !== undefined) {
      this.#size = size;
      for (const worker of this.#workers.values()) {
        if (worker.slot >= size) worker.isRetiring = true;
      }
      // The pool scales even while its circuit is open, so the rejection may be ignored.
      this.#pool.scale(size).catch(() => {});
    }
    if (!this.#link.isConnected) return;
    for (const worker of this.#workers.values()) {
      const id = worker.host?.announcement.id;
      if (id !== undefined) worker.forKeys(this.fleet.isForKeys(id));
      if (!worker.isWaiting) continue;
      const host = this.#hostFor(worker);
      if (host !== undefined) worker.open(host);
    }
    this.#rebalance();
  }

  /** Returns the best host without a session of this dispatcher; for a successor without one, the host of the worker before it. */
  #hostFor(worker: NatsWorker): KnownHost | undefined {
    const taken = new Set<string>();
    let before: string | undefined;
    for (const other of this.#workers.values()) {
      const id = other.host?.announcement.id;
      if (id === undefined || other === worker || other.isRetiring) continue;
      if (other.slot === worker.slot && other.isReady) before = id;
      else taken.add(id);
    }
    const free = this.fleet.wanted.filter(({ announcement: { id } }) => !taken.has(id));
    return free.find(({ announcement: { id } }) => id !== before) ?? free[0];
  }

  /** Moves a session from a host that is no longer wanted to a wanted one, one session at a time. */
  #rebalance(): void {
    const wanted = new Set(this.fleet.wanted.map(({ announcement: { id } }) => id));
    let surplus: NatsWorker | undefined;
    for (const worker of this.#workers.values()) {
      if (worker.isRetiring) continue;
      const { host } = worker;
      // A session that waits, or is being opened, comes first.
      if (host === undefined || !worker.isReady) return;
      if (!wanted.delete(host.announcement.id)) surplus = worker;
    }
    if (surplus !== undefined && wanted.size > 0) this.#pool?.recycle(surplus.workerId);
  }

  /** Leaves a server that is about to stop as soon as no call is under way, at the latest after `LEAVE_MS`. */
  #leaveServer(): void {
    const { clock } = this.#options;
    if (this.#leavingAt === undefined || this.#isClosed) return;
    const isIdle = [...this.#workers.values()].every(({ inFlight }) => inFlight === 0);
    if (isIdle || clock.now() - this.#leavingAt >= LEAVE_MS) this.#link.reconnect();
    this.#leaveTimer = clock.setTimeout(() => this.#leaveServer(), LOOK_MS);
  }

  #tickLater(): void {
    const { clock, beatMs } = this.#options;
    const ms = beatMs / TICKS_OF_BEAT;
    this.#ticks += 1;
    this.#dueAt = clock.now() + ms;
    this.#timer = clock.setTimeout(() => this.#tick(), ms);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  #tick(): void {
    const { clock, beatMs } = this.#options;
    const now = clock.now();
    const lateMs = now - this.#dueAt;
    const isBeat = this.#ticks % TICKS_OF_BEAT === 0;
    this.#tickLater();
    // If this process slept, messages that came in that time are read after this tick.
    const sleptMs = lateMs > beatMs / 2 ? lateMs : 0;
    for (const worker of [...this.#workers.values()]) worker.tick(now, sleptMs);
    if (!isBeat) return;
    if (this.#link.isConnected && this.fleet.tick(now)) this.#settleSoon();
    if (this.#leavingAt === undefined) this.#zones.tick([...this.#workers.values()]);
  }
}
