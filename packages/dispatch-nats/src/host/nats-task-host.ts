import type {
  DispatchError,
  DrainOptions,
  DrainReport,
  TaskMap,
  TaskModule,
} from '@ticketing/dispatch';
import { between, checkByRules, MAX_TIMER_MS } from '@ticketing/kit';
import type { NatsHost, NatsHostState, NatsHostStats, NatsRefusal } from '../contract.ts';
import {
  type Announcement,
  encodeJson,
  MAX_JSON_BYTES,
  type Opened,
  type Opening,
  PROTOCOL,
  readOpening,
  V8_FORMAT,
} from '../fleet/announcement.ts';
import { publishHostEvent } from '../fleet/host-events.ts';
import { type FleetSubjects, newIdentity, subjectsOf } from '../fleet/subjects.ts';
import type { NatsJsonEndpoint } from '../json/json-contract.ts';
import { NatsLink } from '../link/nats-link.ts';
import { farewell } from '../link/session-message.ts';
import type { NatsMessage } from '../nats-like.ts';
import { Admission } from './admission.ts';
import { Announcer } from './announcer.ts';
import { hostJson } from './host-json.ts';
import {
  capacityOf,
  closedError,
  type HostOptions,
  tooManyTasks,
  withoutConnection,
} from './host-options.ts';
import { EndedSessions, HostSession, type SessionContext } from './host-session.ts';
import { HostTicks, LATE_MS } from './host-ticks.ts';
import { isLossOf, proxiesOf } from './task-proxies.ts';

/** Milliseconds between two counts of the dispatcher's workers: statistics cost more than many small tasks. */
const CAPACITY_MS = 1000;
/** Milliseconds in which a dispatcher may find another host; after that its further calls are refused. */
const SUCCESSOR_MS = 1000;
/** Milliseconds for calls under way when a server of NATS is about to stop. */
const LEAVE_MS = 1000;

/** Host that serves sessions of dispatchers, within one limit for all. */
export class NatsTaskHost implements NatsHost {
  readonly id: string;
  readonly #options: HostOptions;
  readonly #subjects: FleetSubjects;
  readonly #link: NatsLink;
  readonly #sessions = new Map<string, HostSession>();
  readonly #endedSessions = new EndedSessions((dispatcher, session) =>
    this.#link.publish(this.#subjects.toDispatcher(dispatcher, session), farewell()),
  );
  readonly #admission: Admission;
  readonly #context: SessionContext;
  readonly #announcer: Announcer;
  readonly #readyWaiters: { resolve(): void; reject(error: unknown): void }[] = [];
  readonly #refused: Record<NatsRefusal, number> = {
    full: 0,
    leaving: 0,
    protocol: 0,
    v8: 0,
    tasks: 0,
  };
  readonly #counts = { asked: 0, completed: 0, failed: 0, aborted: 0, opened: 0, lost: 0 };
  readonly #json: NatsJsonEndpoint | undefined;
  #leavingSince: number | undefined;
  #serverLeavesAt: number | undefined;
  #isClosed = false;
  #draining: Promise<DrainReport> | undefined;
  #closing: Promise<void> | undefined;
  #emptied: (() => void) | undefined;
  readonly #ticks: HostTicks;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(options: HostOptions) {
    const { clock, random, fleet, hostId, revision } = options;
    this.#options = options;
    this.id = newIdentity(hostId, random);
    this.#subjects = subjectsOf(fleet);
    this.#admission = new Admission(this.#sessions, capacityOf(options), {
      clock,
      began: () => this.#ticks.sooner(),
    });
    // Before the connection, because it throws for names of tasks.
    this.#json = hostJson(options, { id: this.id, admission: this.#admission });
    this.#link = new NatsLink(
      { nats: options.nats, name: `host ${this.id}`, clock, random },
      {
        connected: () => this.#connected(),
        disconnected: () => this.#disconnected(),
        leaving: () => this.#serverLeaves(),
        ended: ({ reconnects, error }) => {
          publishHostEvent({ type: 'closed', name: undefined, host: this.id, reconnects, error });
          if (!reconnects) this.#notReady(withoutConnection(this.id, error));
        },
        unsent: (message) =>
          publishHostEvent({ type: 'unsent', name: undefined, host: this.id, ...message }),
      },
    );
    this.#ticks = new HostTicks({
      ...{ clock, sessions: this.#sessions },
      isActive: () =>
        this.#admission.running > 0 || (this.#leavingSince ?? this.#serverLeavesAt) !== undefined,
      tick: (now, lateMs) => this.#tick(now, lateMs),
    });
    const { name: local } = options.dispatcher.stats();
    const name = `host ${this.id}${revision === undefined ? '' : ` (revision ${revision})`}`;
    this.#context = {
      link: this.#link,
      name,
      maxMessageBytes: options.maxMessageBytes,
      module: this.#module(),
      isLoss: (error) => isLossOf(local, error),
      now: () => clock.now(),
      admission: this.#admission,
      // Dispatchers that have lost this host wait for its announcement.
      silent: () => this.#announcer.answer(),
      ended: (session, lost) => this.#ended(session, lost),
    };
    const { who, open, ofHost, here } = this.#subjects;
    this.#announcer = new Announcer({
      ...{ link: this.#link, subject: here, clock, random },
      announcement: (withinMs) => this.#announcement(withinMs),
      hosts: () => Math.max(0, ...[...this.#sessions.values()].map(({ hosts }) => hosts)),
    });
    const prefix = ofHost(this.id).length - 1;
    this.#link.subscribe(ofHost(this.id), ({ subject, data }) => {
      const key = subject.slice(prefix);
      const session = this.#sessions.get(key) ?? this.#endedSessions;
      session.receive(data, key);
    });
    this.#link.subscribe(open(this.id), (message) => this.#open(message));
    this.#link.subscribe(who, () => this.#announcer.answer());
    this.#ticks.start();
  }

  get state(): NatsHostState {
    if (this.#isClosed) return 'closed';
    if (this.#leavingSince !== undefined) return 'leaving';
    const { state } = this.#link;
    return state === 'connected' ? 'serving' : state;
  }

  ready(): Promise<void> {
    if (this.#isClosed) return Promise.reject(closedError(this.id));
    const { state, lastError } = this.#link;
    if (state === 'closed') return Promise.reject(withoutConnection(this.id, lastError));
    if (this.#link.isConnected) {
      const error = this.#unheard();
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    }
    return new Promise((resolve, reject) => this.#readyWaiters.push({ resolve, reject }));
  }

  stats(): NatsHostStats {
    const { fleet, zone, revision, tasks, clock } = this.#options;
    const now = clock.now();
    return {
      id: this.id,
      ...{ fleet, zone, revision, tasks },
      state: this.state,
      capacity: this.#admission.capacity,
      running: this.#admission.running,
      ...this.#counts,
      busy: this.#admission.busy,
      sessions: [...this.#sessions.values()].map((session) => session.stats(now)),
      refused: { ...this.#refused },
      json: this.#json?.stats(),
    };
  }

  drain(options: DrainOptions = {}): Promise<DrainReport> {
    try {
      checkByRules('drain', options, { timeoutMs: between(1, MAX_TIMER_MS) });
    } catch (error) {
      return Promise.reject(error);
    }
    this.#draining ??= this.#drain(options.timeoutMs);
    return this.#draining;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #module(): TaskModule<TaskMap> {
    const { dispatcher, tasks, report } = this.#options;
    return proxiesOf(dispatcher, tasks, {
      settled: (ending) => {
        this.#counts.asked += 1;
        this.#counts[ending] += 1;
      },
      report,
    });
  }

  #connected(): void {
    const { nats } = this.#link;
    if (nats !== undefined) this.#json?.connected(nats);
    this.#announcer.announce();
    const error = this.#unheard();
    if (error !== undefined) this.#notReady(error);
    for (const { resolve } of this.#readyWaiters.splice(0)) resolve();
  }

  /** Returns the error of a host that no dispatcher can find, because its announcement is larger than the server or they accept. */
  #unheard(): DispatchError | undefined {
    const bytes = encodeJson(this.#announcement(MAX_TIMER_MS)).byteLength;
    const most = Math.min(this.#link.mostBytes, MAX_JSON_BYTES);
    return bytes <= most ? undefined : tooManyTasks(this.id, bytes, most);
  }

  /** Refuses further calls because the NATS server is about to stop; running calls have `LEAVE_MS`. */
  #serverLeaves(): void {
    this.#serverLeavesAt ??= this.#options.clock.now();
    for (const session of this.#sessions.values()) session.refuseCalls();
    this.#ticks.sooner();
  }

  #disconnected(): void {
    this.#serverLeavesAt = undefined;
    this.#json?.disconnected();
    for (const session of [...this.#sessions.values()]) {
      session.end({ tells: true, lost: true, reason: 'the connection to NATS broke' });
    }
  }

  #notReady(error: unknown): void {
    for (const { reject } of this.#readyWaiters.splice(0)) reject(error);
  }

  #announcement(withinMs: number): Announcement {
    const { zone, revision, tasks } = this.#options;
    const { state } = this;
    return {
      protocol: PROTOCOL,
      v8: V8_FORMAT,
      id: this.id,
      zone,
      revision,
      tasks,
      capacity: this.#admission.capacity,
      state: state === 'leaving' || state === 'closed' ? state : 'serving',
      withinMs,
    };
  }

  #open({ data, reply }: NatsMessage): void {
    const opening = readOpening(data);
    if (opening === undefined || this.#isClosed) return;
    const { dispatcher, session } = opening;
    if (!reply) this.#sessions.get(`${dispatcher}.${session}`)?.knows(opening.hosts);
    // An answer to any other subject would let a stranger publish as this host.
    if (reply !== this.#subjects.toDispatcher(dispatcher, session)) return;
    const answer = this.#answerTo(opening, reply);
    if (!answer.ok) this.#refused[answer.reason] += 1;
    this.#link.publish(reply, encodeJson(answer));
  }

  #answerTo(opening: Opening, subject: string): Opened {
    const { maxSessions, maxMessageBytes, acceptsModules } = this.#options;
    const { dispatcher, session } = opening;
    const refuse = (reason: 'full' | 'leaving' | 'protocol' | 'v8'): Opened => ({
      host: this.id,
      ok: false,
      reason,
    });
    if (opening.protocol !== PROTOCOL) return refuse('protocol');
    if (opening.v8 !== V8_FORMAT) return refuse('v8');
    if ((this.#leavingSince ?? this.#serverLeavesAt) !== undefined) return refuse('leaving');
    const key = `${dispatcher}.${session}`;
    // A session is opened once: a second opening with its number is a replay.
    if (this.#sessions.size >= maxSessions || this.#sessions.has(key)) return refuse('full');
    const credit = this.#admission.creditAmong(this.#sessions.size + 1);
    const module = acceptsModules ? opening.module : undefined;
    const opened = new HostSession({ ...opening, module }, { subject, credit }, this.#context);
    this.#sessions.set(key, opened);
    this.#ticks.sooner();
    this.#counts.opened += 1;
    this.#admission.shareSoon();
    return { host: this.id, ok: true, window: credit, maxMessageBytes, streams: true };
  }

  #ended(session: HostSession, lost: boolean): void {
    this.#sessions.delete(`${session.dispatcher}.${session.number}`);
    this.#admission.ended(session);
    if (lost) this.#counts.lost += 1;
    if (this.#sessions.size === 0) this.#emptied?.();
  }

  async #drain(timeoutMs: number | undefined): Promise<DrainReport> {
    const { clock } = this.#options;
    const before = { ...this.#counts };
    this.#leavingSince = clock.now();
    this.#announcer.announce();
    for (const session of [...this.#sessions.values()]) session.leave();
    this.#ticks.sooner();
    const timer =
      timeoutMs !== undefined &&
      clock.setTimeout(() => this.#endAll(`it left within timeoutMs (${timeoutMs} ms)`), timeoutMs);
    const json = this.#json?.drain();
    if (this.#sessions.size > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
      });
    }
    await json;
    if (timer !== false) clock.clearTimeout(timer);
    const { completed, failed, aborted } = this.#counts;
    await this.close();
    return {
      completed: completed + failed - before.completed - before.failed,
      aborted: aborted - before.aborted,
    };
  }

  #endAll(reason: string): void {
    void this.#json?.close();
    for (const session of [...this.#sessions.values()]) {
      session.end({ tells: true, lost: false, reason });
    }
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#announcer.publish();
    this.#endAll('the host is closed');
    this.#emptied?.();
    this.#notReady(closedError(this.id));
    this.#ticks.close();
    this.#announcer.close();
    await this.#json?.close();
    this.#admission.close();
    await this.#link.close();
  }

  #tick(now: number, lateMs: number): void {
    const sessions = [...this.#sessions.values()];
    if (sessions.some(({ silentAfterMs }) => lateMs > silentAfterMs / 2)) {
      publishHostEvent({ type: 'late', host: this.id, blockedMs: lateMs });
    }
    this.#endedSessions.tick();
    for (const session of sessions) {
      session.tick(now, lateMs > LATE_MS ? lateMs : 0);
      if (this.#leavingSince !== undefined) this.#farewell(session, now);
    }
    if (now - this.#countedAt >= CAPACITY_MS) {
      this.#countedAt = now;
      this.#admission.resize(capacityOf(this.#options));
    }
    if (this.#serverLeavesAt !== undefined && this.#mayLeaveServer(now - this.#serverLeavesAt)) {
      this.#link.reconnect();
    }
  }

  /** Returns true if no call runs and none is on its way, so that no call is lost; also after `LEAVE_MS`. */
  #mayLeaveServer(sinceMs: number): boolean {
    if (sinceMs >= LEAVE_MS) return true;
    if (this.#admission.running > 0) return false;
    return [...this.#sessions.values()].every(({ hasNoCalls }) => hasNoCalls);
  }

  /** Ends the session of a leaving host as soon as it has no calls, so that a dispatcher without another host loses none. */
  #farewell(session: HostSession, now: number): void {
    if (now - (this.#leavingSince ?? now) < SUCCESSOR_MS) return;
    session.refuseCalls();
    if (session.hasNoCalls) {
      session.end({ tells: true, lost: false, reason: 'the host leaves' });
    }
  }
}
