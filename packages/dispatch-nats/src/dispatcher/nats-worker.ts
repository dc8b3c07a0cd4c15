import type { DispatchError } from '@ticketing/dispatch';
import {
  decodeFromWorker,
  type FromWorker,
  postToWorker,
  type ToWorker,
  type Unsent,
  type WireMessage,
  type WorkerEvents,
  type WorkerHandle,
  type WorkerStart,
} from '@ticketing/dispatch/transport';
import type { NatsLossSign } from '../contract/host-event.ts';
import type { NatsMessage } from '../contract/nats-like.ts';
import { encodeJson, type Opening, readOpened } from '../fleet/announcement.ts';
import { type KnownHost, noteAnswer, noteSilence } from '../fleet/fleet.ts';
import { SessionChannel } from '../link/session-channel.ts';
import { isUnheard } from './host-search.ts';
import { noteFrame, noteRoundTrip, type OpenSession, openSession } from './open-session.ts';
import {
  hasDeadline,
  isFarewell,
  isSound,
  isStream,
  lostHost,
  readied,
  reportOf,
  withoutStreams,
  withTimeLeft,
} from './session-frames.ts';
import type { Refused, WorkerContext } from './worker-context.ts';

/** First byte of an answer to an opening; messages of a session begin with their version. */
const JSON_BEGINS = 0x7b;

type State =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'opening'; readonly host: KnownHost; readonly since: number }
  | OpenSession
  | { readonly kind: 'ended' };

/** Worker of the kernel: a session with a host, as soon as there is a host for it. */
export class NatsWorker implements WorkerHandle {
  readonly workerId: number;
  readonly slot: number;
  /** True after the successor has started, or the slot was removed: the host may have another session of this dispatcher. */
  isRetiring = false;
  /** Calls that the worker has not settled. */
  inFlight = 0;
  /** True while the kernel gives it no calls, even if the host has room. */
  isHeld = false;
  #isForKeys = false;
  readonly #context: WorkerContext<NatsWorker>;
  readonly #events: WorkerEvents;
  readonly #reply: string;
  #state: State = { kind: 'waiting' };
  readonly #module: URL | undefined;
  #lastSeq = 0;
  #toldHosts = 0;
  /** True after the worker was asked to stop, or could not start. */
  #expectsEnd = false;
  /** True after it has reported that it waits in vain. */
  #isInVain = false;

  constructor(start: WorkerStart, events: WorkerEvents, context: WorkerContext<NatsWorker>) {
    const { workerId, slot, module } = start;
    this.workerId = workerId;
    this.slot = slot;
    this.#module = module;
    this.#events = events;
    this.#context = context;
    this.#reply = context.subjects.toDispatcher(context.opening.dispatcher, workerId);
  }

  /** None: the worker is on another machine. */
  get pid(): undefined {
    return undefined;
  }

  /** True while a host takes tasks of this dispatcher. */
  get isReady(): boolean {
    return this.#state.kind === 'open' && this.#state.isReady;
  }

  /** Most calls that the host lets this dispatcher have; 1 before it has opened the session. */
  get credit(): number {
    return this.#state.kind === 'open' ? this.#state.credit : 1;
  }

  /** True if the host has refused a call for lack of room, and has not reported room since. */
  get isRefused(): boolean {
    return this.#state.kind === 'open' && this.#state.isRefused;
  }

  get isWaiting(): boolean {
    return this.#state.kind === 'waiting';
  }

  /** Host with which the worker has a session, or is opening one. */
  get host(): KnownHost | undefined {
    return this.#state.kind === 'open' || this.#state.kind === 'opening'
      ? this.#state.host
      : undefined;
  }

  /** Notes that its host may have another session of this dispatcher. */
  retire(): void {
    this.isRetiring = true;
  }

  /** Tells the kernel if the host is wanted for its keys alone. */
  forKeys(isForKeys: boolean): void {
    if (!this.isReady || isForKeys === this.#isForKeys) return;
    this.#isForKeys = isForKeys;
    this.#events.frames([{ kind: 'keys-only', on: isForKeys }]);
  }

  /** Asks a host for a session. */
  open(host: KnownHost): void {
    this.#become({ kind: 'opening', host, since: this.#context.now() });
    this.#ask(host, this.#reply);
  }

  /** Asks for the session; or, without a reply subject, reports the number of known hosts. */
  #ask(host: KnownHost, reply?: string): void {
    const { link, subjects, opening, hosts } = this.#context;
    this.#toldHosts = hosts();
    const module = this.#module?.href ?? opening.module;
    const asked = { ...opening, session: this.workerId, hosts: this.#toldHosts, module };
    link.publish(subjects.open(host.announcement.id), encodeJson(asked satisfies Opening), reply);
  }

  /** Asks the host for a sign of life when one is due, and gives up a silent host. Called at each tick. */
  tick(now: number, lateMs: number): void {
    const state = this.#state;
    if (state.kind === 'opening') {
      const { beatMs, missedBeats } = this.#context.opening;
      const unansweredMs = state.host.unansweredMs + now - state.since;
      if (unansweredMs > beatMs * missedBeats) this.#refused('silent');
    } else if (state.kind === 'open') {
      const { channel, liveness, questions, host } = state;
      const activity = { sent: channel.sent, hasCalls: this.inFlight > 0 };
      if (this.#context.hosts() > 2 * this.#toldHosts) this.#ask(host);
      if (liveness.tick(now, lateMs, activity) === 'silent') this.lose('silence');
      else if (questions.isToAsk(now, activity)) {
        questions.asked(now, activity);
        channel.ping(this.#reply, now);
      }
    }
  }

  /** Takes a message of the host, or the server's answer that the host has no subscription. */
  receive(message: NatsMessage): void {
    const state = this.#state;
    const { data } = message;
    if (state.kind === 'opening') {
      if (isUnheard(message)) this.#refused('no-responders');
      else this.#opened(state.host, data);
    } else if (state.kind === 'open') {
      if (isUnheard(message)) {
        // The host has begun none of these calls, so other workers may run them.
        const unheard = state.questions.takeUnheard();
        this.#events.frames(unheard.map((seq): FromWorker => ({ kind: 'busy', seq })));
        this.lose('no-responders');
        return;
      }
      // A second answer: the host was asked twice because it was slow.
      if (data[0] === JSON_BEGINS) return;
      const now = this.#context.now();
      const { channel, liveness, questions } = state;
      const rttMs = channel.receive(data, now);
      liveness.heard(now, { sent: channel.sent, hasCalls: this.inFlight > 0 });
      questions.answered();
      if (rttMs === undefined) return;
      noteRoundTrip(state, rttMs);
      // The first answer comes before the session is ready; the start then reports by itself.
      if (this.isReady) this.#report();
    }
  }

  send(given: readonly ToWorker[]): readonly Unsent[] {
    const state = this.#state;
    // Without a connection every session is lost: the calls that the kernel moves between them must not start anywhere.
    if (state.kind !== 'open' || this.#context.link.state !== 'connected') return [];
    const refused = state.streams ? [] : withoutStreams(given, state.host.announcement.id);
    const frames = refused.length === 0 ? given : given.filter((frame) => !isStream(frame));
    let reply: string | undefined;
    for (const frame of frames) {
      state.rooms.sent(frame);
      if (frame.kind === 'stop') this.#expectsEnd = true;
      if (frame.kind !== 'run') continue;
      this.#lastSeq = frame.seq;
      if (this.inFlight === 0 && !state.liveness.isExpecting) {
        state.questions.began(this.#context.now());
        reply = this.#reply;
      }
      state.questions.called(frame.seq);
      this.inFlight += 1;
    }
    const post = (message: unknown): void => state.channel.send(message as WireMessage, reply);
    const timed = frames.some(hasDeadline) ? frames.map(withTimeLeft) : frames;
    const unsent = postToWorker(timed, post, state.channel.writing);
    this.inFlight -= unsent.length;
    return [...refused, ...unsent];
  }

  /** Returns the last call as started, because it is unknown which calls have run: none may run twice. */
  started(): number {
    return this.#lastSeq;
  }

  kill(): void {
    queueMicrotask(() => {
      const state = this.#state;
      if (state.kind === 'opening') noteSilence(state.host, this.#context.now() - state.since);
      if (state.kind === 'opening' || state.kind === 'waiting') this.#context.withoutHost(this);
      this.#end(undefined, true);
    });
  }

  /** Does nothing: the connection lives as long as the dispatcher. */
  hold(): void {}

  /** Stops the kernel from giving it calls, or lets the kernel give up to `credit` calls again. */
  holdCalls(held: boolean): void {
    if (held === this.isHeld || !this.isReady) return;
    this.isHeld = held;
    this.#events.frames([held ? { kind: 'busy', seq: 0 } : { kind: 'room', window: this.credit }]);
  }

  /** Ends a lost session. */
  lose(sign: NatsLossSign): void {
    this.#end(sign, sign !== 'ended' && sign !== 'no-responders');
  }

  /** Loses the session with the broken connection. A host that has not answered is asked again later. */
  disconnected(): void {
    if (this.#state.kind === 'opening') this.#become({ kind: 'waiting' });
    else if (this.#state.kind === 'open') this.lose('disconnect');
  }

  /** Reports, once, that the worker waits for a host in vain; it goes on. */
  inVain(reason: () => DispatchError): void {
    const { kind } = this.#state;
    if (this.#isInVain || (kind !== 'waiting' && kind !== 'opening')) return;
    this.#isInVain = true;
    this.#events.frames([{ kind: 'start-failed', error: reason(), final: true }]);
  }

  /** Ends a worker that never got a host. `final`: another worker would get none either. */
  fail(error: DispatchError, final: boolean): void {
    if (this.#state.kind !== 'waiting' && this.#state.kind !== 'opening') return;
    this.#events.frames([{ kind: 'start-failed', error, final }]);
    this.#end(undefined, false);
  }

  #opened(host: KnownHost, data: Uint8Array): void {
    const answer = readOpened(data);
    // The answer may come from a host that was given up.
    if (answer?.host !== host.announcement.id) return;
    noteAnswer(host);
    if (!answer.ok) {
      this.#refused(answer.reason);
      return;
    }
    const { link, subjects, opening, now } = this.#context;
    const { id } = host.announcement;
    const openedAt = now();
    const channel = new SessionChannel(
      {
        link,
        subject: subjects.toHost(id, opening.dispatcher, this.workerId),
        maxBytes: Math.min(answer.maxMessageBytes, opening.maxMessageBytes),
        name: `host ${id}`,
      },
      {
        message: (message) => this.#read(message),
        ping: () => channel.pong(),
        ended: () => this.#end(this.#expectsEnd ? undefined : 'ended', false),
        broken: (sign) => this.lose(sign),
      },
    );
    const session = openSession(host, { channel, answer, opening, now: openedAt });
    this.#become(session);
    // The host begins to serve when the first message arrives.
    session.questions.asked(openedAt, { hasCalls: false });
    channel.ping(this.#reply, openedAt);
  }

  #refused(reason: Refused): void {
    const state = this.#state;
    if (state.kind !== 'opening') return;
    this.#become({ kind: 'waiting' });
    this.#context.refused(state.host, reason);
  }

  #read(message: WireMessage): void {
    const state = this.#state;
    if (state.kind !== 'open') return;
    let frames: readonly FromWorker[] | undefined;
    try {
      frames = decodeFromWorker(message);
    } catch {
      // Handled below like bytes that are no message.
    }
    // A session is ready once.
    const isNew = (frame: FromWorker): boolean => frame.kind !== 'ready' || !state.isReady;
    if (!frames?.every((frame) => isSound(frame) && isNew(frame) && state.rooms.came(frame))) {
      this.lose('malformed');
      return;
    }
    this.#events.frames(this.#noted(state, frames));
    if (this.#state === state && frames.some(isFarewell)) state.channel.pong();
    if (this.isReady && frames.some(({ kind }) => kind === 'ready')) {
      this.#context.ready(this);
      this.#report();
    }
  }

  /** Notes the facts about the host in frames. @returns the frames for the kernel */
  #noted(state: OpenSession, frames: readonly FromWorker[]): readonly FromWorker[] {
    let noted = frames;
    for (const frame of frames) {
      noteFrame(state, frame);
      switch (frame.kind) {
        case 'done':
        case 'failed':
        case 'lost':
        case 'dropped':
          this.inFlight -= 1;
          break;
        case 'busy':
          // With `seq` 0 the host refuses calls, and gives none back.
          if (frame.seq > 0) this.inFlight -= 1;
          break;
        case 'start-failed':
          this.#expectsEnd = true;
          break;
        case 'room':
          if (this.isHeld) noted = noted.filter((each) => each !== frame);
          break;
        case 'recycle':
          this.#context.leaving(state.host);
          break;
        case 'ready':
          noted = noted.flatMap((each) =>
            each === frame ? readied(frame, this.#context.tasks(), state.credit) : [each],
          );
          break;
        default:
          break;
      }
    }
    return noted;
  }

  #report(): void {
    if (this.#state.kind !== 'open') return;
    const { host, rttMs, credit } = this.#state;
    this.#events.frames([reportOf(host, { rttMs, credit })]);
  }

  /** Changes the state. @returns the state before */
  #become(state: State): State {
    const before = this.#state;
    this.#state = state;
    return before;
  }

  #end(sign: NatsLossSign | undefined, tells: boolean): void {
    const state = this.#become({ kind: 'ended' });
    if (state.kind === 'ended') return;
    if (state.kind === 'open') state.channel.end(tells);
    const host = 'host' in state ? state.host : undefined;
    this.#context.ended(this, host, sign);
    this.#events.exit({
      exitCode: undefined,
      signal: undefined,
      stderrTail: '',
      ...(sign !== undefined && host && { cause: lostHost(host.announcement.id, sign) }),
    });
  }
}
