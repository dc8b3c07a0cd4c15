import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import type { WireMessage } from '@ticketing/dispatch/transport';
import {
  decodeToWorker,
  type Served,
  serveTasks,
  type ToWorker,
  type Undecodable,
} from '@ticketing/dispatch/worker';
import type { NatsSessionStats } from '../contract.ts';
import type { Opening } from '../fleet/announcement.ts';
import { MAX_KNOWN } from '../fleet/fleet.ts';
import type { NatsLink } from '../link/nats-link.ts';
import { SessionChannel } from '../link/session-channel.ts';
import { isFarewell } from '../link/session-message.ts';
import { isSound, withDeadline } from './call-frames.ts';
import {
  DispatcherLiveness,
  type LivenessLoss,
  type SessionActivity,
} from './dispatcher-liveness.ts';

/** Most answers in one message: each message costs three programs time, so many answers share one. */
const TOGETHER = 128;

/** Parts of the host that a session needs. */
export interface SessionContext {
  readonly link: NatsLink;
  /** Name of the host and its revision in errors. */
  readonly name: string;
  readonly maxMessageBytes: number;
  readonly module: TaskModule<TaskMap>;
  /** Returns true for the error of a call that was lost with a worker of this host. */
  isLoss(error: unknown): boolean;
  now(): number;
  /** Limit of the calls of all sessions. */
  readonly admission: {
    admit(session: HostSession): boolean;
    count(session: HostSession): void;
    release(session: HostSession): void;
    stall(session: HostSession, isStalled: boolean): void;
  };
  /** Reports a session that ends because its dispatcher is silent, or has waited too long. */
  silent(): void;
  /** Reports the end of a session. `lost`: the dispatcher did not ask for it. */
  ended(session: HostSession, lost: boolean): void;
}

/** Session of a dispatcher with this host: serves tasks, as a worker process serves the kernel of its parent. */
export class HostSession {
  readonly dispatcher: string;
  readonly number: number;
  readonly subject: string;
  /** Calls that the session has here. */
  running = 0;
  /** Streams among these calls that wait for their readers. */
  stalled = 0;
  /** Most calls that the session may have, by the latest frame to the dispatcher. */
  credit: number;
  /** True after a call was sent back, until the dispatcher is told of room: it sends none. */
  isBusy = false;
  isLeaving = false;
  /** Number of hosts that the dispatcher knows. */
  hosts = 0;
  readonly #liveness: DispatcherLiveness;
  readonly #openedAt: number;
  readonly #opening: Opening;
  readonly #context: SessionContext;
  readonly #channel: SessionChannel;
  #served: Served | undefined;
  #lastSeq = 0;
  #isEnded = false;
  /** Number of the message that refused all calls. */
  #refusedAt: number | undefined;

  constructor(
    opening: Opening,
    { subject, credit }: { readonly subject: string; readonly credit: number },
    context: SessionContext,
  ) {
    const { dispatcher, session, maxMessageBytes } = opening;
    this.dispatcher = dispatcher;
    this.number = session;
    this.subject = subject;
    this.credit = credit;
    this.knows(opening.hosts);
    this.#opening = opening;
    this.#context = context;
    this.#openedAt = context.now();
    this.#liveness = new DispatcherLiveness(opening, this.#openedAt);
    this.#channel = new SessionChannel(
      {
        link: context.link,
        subject,
        maxBytes: Math.min(maxMessageBytes, context.maxMessageBytes),
        name: context.name,
      },
      {
        message: (message) => this.#read(message),
        ping: () => {
          this.#liveness.answered();
          this.#channel.pong();
        },
        ended: () => this.end({ tells: false, lost: false, reason: 'it has ended the session' }),
        broken: (sign) =>
          this.end({ tells: true, lost: true, reason: `a message of it is ${signs[sign]}` }),
      },
    );
  }

  receive(data: Uint8Array): void {
    const now = this.#context.now();
    const loss = this.#liveness.heard(now, this.#activity);
    if (loss !== undefined) {
      this.#endLost(loss);
      return;
    }
    // Served only now: the dispatcher may have given this host up before its first message.
    this.#served ??= this.#serve();
    this.#channel.receive(data, now);
  }

  /** Notes the number of hosts that the dispatcher knows. */
  knows(hosts: number): void {
    this.hosts = Math.min(hosts, MAX_KNOWN);
  }

  /**
   * Ends the session if its dispatcher is silent, or must have given this host up. `lateMs`: this process slept, and reads the
   * messages of that time after this tick.
   */
  tick(now: number, lateMs: number): void {
    const loss = this.#liveness.tick(now, lateMs, this.#activity);
    if (loss !== undefined) this.#endLost(loss);
  }

  /** Milliseconds of silence after which the dispatcher is lost. */
  get silentAfterMs(): number {
    return this.#liveness.silentAfterMs;
  }

  get #activity(): SessionActivity {
    return { sent: this.#channel.sent, hasCalls: this.running > 0 };
  }

  #endLost(loss: LivenessLoss): void {
    if (this.#isEnded) return;
    this.end({ tells: true, lost: true, reason: losses[loss] });
    this.#context.silent();
  }

  /** Grants the dispatcher a number of calls that it may have here. */
  grant(credit: number): void {
    this.credit = credit;
    this.isBusy = false;
    this.#served?.tell({ kind: 'room', window: credit });
    this.#served?.flush();
  }

  /** Stops the dispatcher from sending calls until a later message grants room. */
  pause(): void {
    this.isBusy = true;
    this.#served?.tell({ kind: 'busy', seq: 0 });
  }

  /** Asks the dispatcher for a successor on another host. */
  leave(): void {
    if (this.isLeaving) return;
    this.isLeaving = true;
    this.#served?.tell({ kind: 'recycle' });
    this.#served?.flush();
  }

  /** Stops the dispatcher from sending calls for good: calls on their way go back. */
  refuseCalls(): void {
    if (this.#refusedAt !== undefined) return;
    this.pause();
    this.#served?.flush();
    this.#refusedAt = this.#channel.sent;
  }

  /** True while the dispatcher may send calls, now or as soon as there is room. */
  get takesCalls(): boolean {
    return !this.isLeaving && this.#refusedAt === undefined;
  }

  /** Number of calls that take room. */
  get active(): number {
    return this.running - this.stalled;
  }

  /** True if no call runs or is on its way: the dispatcher has confirmed that calls are refused. */
  get hasNoCalls(): boolean {
    const refusedAt = this.#refusedAt ?? Number.POSITIVE_INFINITY;
    return this.running === 0 && this.#channel.confirmed >= refusedAt;
  }

  /** Ends the session, and aborts its calls. */
  end({
    tells,
    lost,
    reason,
  }: {
    readonly tells: boolean;
    readonly lost: boolean;
    readonly reason: string;
  }): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#channel.end(tells);
    this.#context.ended(this, lost);
    this.#served?.abandon(
      new Error(`Dispatcher ${this.dispatcher}, which asked for this task, is gone: ${reason}`),
    );
  }

  stats(now: number): NatsSessionStats {
    const { dispatcher, number, running, credit } = this;
    return { dispatcher, session: number, running, credit, ageMs: now - this.#openedAt };
  }

  #serve(): Served {
    const { module, name, now, isLoss } = this.#context;
    return serveTasks({
      workerId: this.number,
      slot: 0,
      name,
      module: this.#opening.module ?? module,
      post: (message) => this.#channel.send(message as WireMessage),
      // Every call may start: to the dispatcher all sent calls are started, so it runs none of them again.
      claim: () => true,
      memoryBytes: () => process.memoryUsage.rss(),
      // The load of this process means nothing: its workers do the work.
      load: () => undefined,
      now,
      isLoss,
      settled: () => {
        this.running -= 1;
        this.#context.admission.release(this);
      },
      stalled: (_, isStalled) => {
        this.stalled += isStalled ? 1 : -1;
        this.#context.admission.stall(this, isStalled);
      },
      exit: () => this.end({ tells: true, lost: false, reason: 'it has stopped' }),
      ...this.#channel.writing,
      together: TOGETHER,
    });
  }

  #read(message: WireMessage): void {
    let frames: readonly (ToWorker | Undecodable)[] | undefined;
    try {
      frames = decodeToWorker(message);
    } catch {
      // Handled below like bytes that are no message.
    }
    if (frames === undefined || !frames.every((frame) => this.#isSound(frame))) {
      this.end({ tells: true, lost: true, reason: `a message of it is ${signs.malformed}` });
      return;
    }
    this.#served?.accept(this.#admitted(frames));
  }

  /** Returns the frames to serve; calls above the host's capacity are sent back. */
  #admitted(frames: readonly (ToWorker | Undecodable)[]): readonly (ToWorker | Undecodable)[] {
    const { admission } = this.#context;
    const admitted: (ToWorker | Undecodable)[] = [];
    for (const frame of frames) {
      if (frame.kind === 'undecodable') admission.count(this);
      if (frame.kind !== 'run') admitted.push(frame);
      else if (admission.admit(this)) {
        admitted.push(frame.deadline === undefined ? frame : withDeadline(frame, frame.deadline));
      } else {
        this.isBusy = true;
        this.#served?.tell({ kind: 'busy', seq: frame.seq });
      }
    }
    return admitted;
  }

  /** Returns true for a frame that a dispatcher may have sent: the numbers of its calls rise. */
  #isSound(frame: ToWorker | Undecodable): boolean {
    if (!isSound(frame)) return false;
    if (frame.kind !== 'run' && frame.kind !== 'undecodable') return true;
    if (frame.seq <= this.#lastSeq) return false;
    this.#lastSeq = frame.seq;
    return true;
  }
}

const losses: Readonly<Record<LivenessLoss, string>> = {
  'given-up': 'it was told nothing for too long',
  silent: 'its beats are missing',
};
const signs = { gap: 'missing', malformed: 'malformed' } as const;

/** Most dispatchers that are told of an ended session until the next tick. */
const MAX_TOLD = 256;
/** End of a host's subject: the id of a dispatcher, which is two tokens, and the number of a session. */
const sessionKey = /^([a-z0-9-]{1,32}\.[a-z0-9]{8})\.(\d{1,16})$/;

/** Answers dispatchers whose session has ended without their knowledge, and tells them. */
export class EndedSessions {
  readonly #told = new Set<string>();
  readonly #tell: (dispatcher: string, session: string) => void;

  constructor(tell: (dispatcher: string, session: string) => void) {
    this.#tell = tell;
  }

  receive(data: Uint8Array, key: string): void {
    if (isFarewell(data) || this.#told.has(key) || this.#told.size >= MAX_TOLD) return;
    const [, dispatcher, session] = sessionKey.exec(key) ?? [];
    if (dispatcher === undefined || session === undefined) return;
    this.#told.add(key);
    this.#tell(dispatcher, session);
  }

  tick(): void {
    this.#told.clear();
  }
}
