import type { DispatchError } from '@ticketing/dispatch';
import type { WorkerEvents, WorkerHandle, WorkerStart } from '@ticketing/dispatch/transport';
import type { Clock } from '@ticketing/kit';
import type { NatsFleetStats } from '../contract/dispatcher.ts';
import type { NatsLossSign } from '../contract/host-event.ts';
import type { NatsMessage } from '../contract/nats-like.ts';
import { PROTOCOL, readAnnouncement, V8_FORMAT } from '../fleet/announcement.ts';
import { Fleet, type KnownHost } from '../fleet/fleet.ts';
import { publishHostEvent } from '../fleet/host-events.ts';
import { type FleetSubjects, newIdentity, subjectsOf } from '../fleet/subjects.ts';
import { type LinkEvents, type LinkOptions, NatsLink } from '../link/nats-link.ts';
import { Beats } from './beats.ts';
import { hostFor, surplusOf } from './choose-host.ts';
import { HostSearch, isUnheard } from './host-search.ts';
import { NatsWorker } from './nats-worker.ts';
import { noHost } from './no-host.ts';
import { idleMsOf } from './questions.ts';
import { ServerLeave } from './server-leave.ts';
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

/** Methods that the sessions need of the pool over them. */
export interface ScaledPool {
  scale(workers: number): Promise<void>;
  recycle(workerId: number): void;
}

const NOTHING = new Uint8Array(0);
/** Number that no worker has, for the server's answer that no host listens. */
const NO_WORKER = '0';

/** Sessions of a dispatcher with announced hosts: one per host, up to `hosts.max`. Each is a worker of the kernel. */
export class FleetSessions {
  readonly fleet: Fleet;
  readonly #options: TransportOptions;
  readonly #link: NatsLink;
  readonly #workers: Map<string, NatsWorker> = new Map();
  readonly #context: WorkerContext<NatsWorker>;
  readonly #zones: ZoneGate;
  readonly #beats: Beats;
  readonly #leave: ServerLeave;
  readonly #search: HostSearch;
  #pool: ScaledPool | undefined;
  /** Number of workers of the pool. */
  #size = 1;
  #state: 'settled' | 'settling' | 'closed' = 'settled';

  constructor(options: TransportOptions) {
    const { name, fleet, clock, random, hosts, tasks, beatMs, missedBeats } = options;
    this.#options = options;
    const id = newIdentity(name, random);
    this.fleet = new Fleet({ fleet, id, name, tasks, ...hosts });
    this.#zones = new ZoneGate(this.fleet, options.window);
    this.#search = new HostSearch(beatMs * missedBeats);
    const subjects = subjectsOf(fleet);
    this.#leave = new ServerLeave({
      clock,
      isIdle: () => this.#all.every(({ inFlight }) => inFlight === 0),
      reconnect: () => this.#link.reconnect(),
    });
    this.#link = new NatsLink(
      { nats: options.nats, name: `dispatcher ${id}`, clock, random },
      this.#linkEvents(),
    );
    const { length } = subjects.toDispatcher(id, '');
    this.#link.subscribe(subjects.ofDispatcher(id), (message) => {
      const session = message.subject.slice(length);
      if (session === NO_WORKER) this.#answered(message);
      else this.#workers.get(session)?.receive(message);
    });
    this.#link.subscribe(subjects.here, ({ data }) => this.#hear(data));
    this.#context = this.#contextOf(subjects);
    this.#beats = new Beats({
      clock,
      beatMs,
      tick: (now, sleptMs) => {
        for (const worker of this.#all) worker.tick(now, sleptMs);
        this.#reportVain();
      },
      beat: (now) => {
        if (this.#link.isConnected && this.fleet.tick(now)) this.#settleSoon();
        if (!this.#leave.isUnderWay) this.#zones.tick(this.#all);
      },
    });
  }

  /** Workers at this moment: a copy, because a worker may end while the others are visited. */
  get #all(): readonly NatsWorker[] {
    return [...this.#workers.values()];
  }

  #linkEvents(): LinkEvents {
    const { name, clock } = this.#options;
    return {
      connected: () => {
        this.#search.begin(clock.now());
        this.#askAll();
      },
      disconnected: () => {
        this.#search.begin(clock.now());
        this.#leave.end();
        this.fleet.cutOff();
        for (const worker of this.#all) worker.disconnected();
        this.#settleSoon();
      },
      leaving: () => {
        if (this.#leave.isUnderWay) return;
        for (const worker of this.#workers.values()) worker.holdCalls(true);
        this.#leave.begin();
      },
      ended: ({ reconnects, error }) => {
        publishHostEvent({ type: 'closed', name, host: undefined, reconnects, error });
        if (reconnects) return;
        for (const worker of this.#all) this.#withoutHost(worker);
      },
      unsent: (message) => publishHostEvent({ type: 'unsent', name, host: undefined, ...message }),
    };
  }

  #contextOf(subjects: FleetSubjects): WorkerContext<NatsWorker> {
    const { clock, beatMs, missedBeats, maxMessageBytes, module } = this.#options;
    return {
      link: this.#link,
      subjects,
      opening: {
        protocol: PROTOCOL,
        v8: V8_FORMAT,
        dispatcher: this.fleet.id,
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
      leaving: ({ announcement }) => {
        this.fleet.leaving(announcement.id);
        this.#settleSoon();
      },
      ended: (worker, host, sign) => this.#ended(worker, host, sign),
    };
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
      id: this.fleet.id,
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
    this.#state = 'closed';
    this.#beats.close();
    this.#leave.end();
    await this.#link.close();
  }

  /** Asks all hosts to announce themselves; the server of NATS answers at once if there are none. */
  #askAll(): void {
    const { who, toDispatcher } = this.#context.subjects;
    this.#link.publish(who, NOTHING, toDispatcher(this.fleet.id, NO_WORKER));
  }

  #hear(data: Uint8Array): void {
    const announcement = readAnnouncement(data);
    if (announcement === undefined) return;
    if (announcement.state !== 'closed') this.#search.foundOne();
    if (this.fleet.hear(announcement, this.#options.clock.now())) this.#settleSoon();
  }

  #ready(worker: NatsWorker): void {
    for (const other of this.#workers.values()) {
      if (other.slot === worker.slot && other.workerId < worker.workerId) other.retire();
    }
    if (this.#leave.isUnderWay) worker.holdCalls(true);
    else this.#zones.joined(worker, this.#all);
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
    if (host !== undefined && sign !== undefined) {
      this.fleet.loses(host.announcement.id, sign);
      if (this.fleet.hosts.size === 0) this.#askAll();
    }
    this.#settleSoon();
  }

  #withoutHost(worker: NatsWorker): void {
    // While a host may yet open a session, another start may find it.
    const mayFollow = this.#hasHost || (this.#link.isConnected && this.fleet.hasHope);
    worker.fail(this.whyUnready(), !mayFollow);
  }

  /** True if a host takes calls of this dispatcher, and stays. */
  get #hasHost(): boolean {
    for (const { host, isReady } of this.#workers.values()) {
      if (host !== undefined && isReady && !this.fleet.isLeaving(host.announcement.id)) return true;
    }
    return false;
  }

  /** The server of NATS has answered the question to all hosts in their place. */
  #answered(message: NatsMessage): void {
    if (!isUnheard(message)) return;
    this.#search.foundNone();
    this.#settleSoon();
  }

  /** Reports to the kernel that workers wait in vain: calls that can run elsewhere do not wait with them. */
  #reportVain(): void {
    if (this.#hasHost) return;
    const now = this.#options.clock.now();
    if (!this.#search.isInVain(now, this.#link, this.fleet.hasHope)) return;
    for (const worker of this.#all) worker.inVain(() => this.whyUnready());
  }

  /** Settles once for all events of a turn, and never within a call of the kernel. */
  #settleSoon(): void {
    if (this.#state !== 'settled') return;
    this.#state = 'settling';
    queueMicrotask(() => {
      if (this.#state === 'closed') return;
      this.#state = 'settled';
      this.#settle();
    });
  }

  /** Scales the pool to one worker per wanted host, and gives hosts to waiting workers. */
  #settle(): void {
    const { wanted } = this.fleet;
    const size = Math.max(1, wanted.length);
    if (size !== this.#size && this.#pool !== undefined) {
      this.#size = size;
      for (const worker of this.#workers.values()) if (worker.slot >= size) worker.retire();
      // The pool scales even while its circuit is open, so the rejection may be ignored.
      this.#pool.scale(size).catch(() => {});
    }
    this.#reportVain();
    if (!this.#link.isConnected) return;
    for (const worker of this.#workers.values()) {
      const id = worker.host?.announcement.id;
      if (id !== undefined) worker.forKeys(this.fleet.isForKeys(id));
      if (!worker.isWaiting) continue;
      const host = hostFor(worker, this.#workers.values(), this.fleet.wanted);
      if (host !== undefined) worker.open(host);
    }
    // One session at a time moves to a wanted host.
    const surplus = surplusOf(this.#workers.values(), this.fleet.wanted);
    if (surplus !== undefined) this.#pool?.recycle(surplus.workerId);
  }
}
