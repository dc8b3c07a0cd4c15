import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import type { WireMessage } from '@ticketing/dispatch/transport';
import {
  decodeToWorker,
  type Served,
  serveTasks,
  type ToWorker,
  type Undecodable,
} from '@ticketing/dispatch/worker';
import type { NatsSessionStats } from '../contract/host.ts';
import type { Opening } from '../fleet/announcement.ts';
import { MAX_KNOWN } from '../fleet/fleet.ts';
import { type Activity, Liveness, type LivenessLoss } from '../link/liveness.ts';
import type { NatsLink } from '../link/nats-link.ts';
import { SessionChannel } from '../link/session-channel.ts';
import { type AdmittedSession, newCalls, type SessionCalls } from './admission.ts';
import { isSound, withDeadline } from './call-frames.ts';

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
    admit(session: AdmittedSession): boolean;
    count(session: AdmittedSession): void;
    release(session: AdmittedSession): void;
    stall(session: AdmittedSession): void;
    goOn(session: AdmittedSession): void;
    pause(session: AdmittedSession): void;
  };
  /** Reports a session that ends because its dispatcher is silent, or has waited too long. */
  silent(): void;
  /** Reports the end of a session. `lost`: the dispatcher did not ask for it. */
  ended(session: HostSession, lost: boolean): void;
}

type State =
  | {
      readonly kind: 'open';
      /** True after the dispatcher was asked for a successor on another host. */
      readonly isLeaving: boolean;
      /** Number of the message that refused all calls. */
      readonly refusedAt: number | undefined;
    }
  | { readonly kind: 'ended' };

/** Session of a dispatcher with this host: serves tasks, as a worker process serves the kernel of its parent. */
export class HostSession implements AdmittedSession {
  readonly dispatcher: string;
  readonly number: number;
  readonly calls: SessionCalls;
  /** Number of hosts that the dispatcher knows. */
  hosts = 0;
  readonly #liveness: Liveness;
  readonly #openedAt: number;
  readonly #opening: Opening;
  readonly #context: SessionContext;
  readonly #channel: SessionChannel;
  #served: Served | undefined;
  #lastSeq = 0;
  #state: State = { kind: 'open', isLeaving: false, refusedAt: undefined };

  constructor(
    opening: Opening,
    { subject, credit }: { readonly subject: string; readonly credit: number },
    context: SessionContext,
  ) {
    const { dispatcher, session, maxMessageBytes, beatMs, missedBeats } = opening;
    this.dispatcher = dispatcher;
    this.number = session;
    this.calls = newCalls(credit);
    this.knows(opening.hosts);
    this.#opening = opening;
    this.#context = context;
    this.#openedAt = context.now();
    // The time that this process slept does not count: the dispatcher need not answer at once.
    const limits = { ...opening, graceMs: beatMs * missedBeats };
    this.#liveness = new Liveness(limits, this.#openedAt);
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

  get #activity(): Activity {
    return { sent: this.#channel.sent, hasCalls: this.calls.running > 0 };
  }

  #endLost(loss: LivenessLoss): void {
    if (this.#state.kind === 'ended') return;
    this.end({ tells: true, lost: true, reason: losses[loss] });
    this.#context.silent();
  }

  tellCredit(credit: number): void {
    this.#served?.tell({ kind: 'room', window: credit });
    this.#served?.flush();
  }

  tellBusy(): void {
    this.#served?.tell({ kind: 'busy', seq: 0 });
  }

  /** Asks the dispatcher for a successor on another host. */
  leave(): void {
    const state = this.#state;
    if (state.kind === 'ended' || state.isLeaving) return;
    this.#become({ ...state, isLeaving: true });
    this.#served?.tell({ kind: 'recycle' });
    this.#served?.flush();
  }

  /** Stops the dispatcher from sending calls for good: calls on their way go back. */
  refuseCalls(): void {
    const state = this.#state;
    if (state.kind === 'ended' || state.refusedAt !== undefined) return;
    this.#context.admission.pause(this);
    this.#served?.flush();
    this.#become({ ...state, refusedAt: this.#channel.sent });
  }

  get takesCalls(): boolean {
    const state = this.#state;
    return state.kind === 'open' && !state.isLeaving && state.refusedAt === undefined;
  }

  /** True if no call runs or is on its way: the dispatcher has confirmed that calls are refused. */
  get hasNoCalls(): boolean {
    const state = this.#state;
    if (state.kind === 'ended') return true;
    const { refusedAt = Number.POSITIVE_INFINITY } = state;
    return this.calls.running === 0 && this.#channel.confirmed >= refusedAt;
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
    if (this.#state.kind === 'ended') return;
    this.#become({ kind: 'ended' });
    this.#channel.end(tells);
    this.#context.ended(this, lost);
    this.#served?.abandon(
      new Error(`Dispatcher ${this.dispatcher}, which asked for this task, is gone: ${reason}`),
    );
  }

  stats(now: number): NatsSessionStats {
    const { dispatcher, number } = this;
    const { running, credit } = this.calls;
    return { dispatcher, session: number, running, credit, ageMs: now - this.#openedAt };
  }

  #become(state: State): void {
    this.#state = state;
  }

  #serve(): Served {
    const { module, name, now, isLoss, admission } = this.#context;
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
      settled: () => admission.release(this),
      stalled: (_, isStalled) => (isStalled ? admission.stall(this) : admission.goOn(this)),
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
      } else this.#served?.tell({ kind: 'busy', seq: frame.seq });
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
