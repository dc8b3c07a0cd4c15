import type {
  DispatchError,
  DrainOptions,
  DrainReport,
  TaskMap,
  TaskModule,
} from '@ticketing/dispatch';
import { between, checkByRules, MAX_TIMER_MS } from '@ticketing/kit';
import type { NatsHost, NatsHostState, NatsHostStats } from '../contract/host.ts';
import type { NatsJsonEndpoint } from '../contract/json-endpoint.ts';
import {
  type Announcement,
  encodeJson,
  MAX_JSON_BYTES,
  PROTOCOL,
  V8_FORMAT,
} from '../fleet/announcement.ts';
import { publishHostEvent } from '../fleet/host-events.ts';
import { newIdentity, subjectsOf } from '../fleet/subjects.ts';
import { NatsLink } from '../link/nats-link.ts';
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
import type { HostSession } from './host-session.ts';
import { HostSessions } from './host-sessions.ts';
import { HostTicks, LATE_MS } from './host-ticks.ts';
import { isLossOf, proxiesOf } from './task-proxies.ts';

/** Milliseconds between two counts of the dispatcher's workers: statistics cost more than many small tasks. */
const CAPACITY_MS = 1000;
/** Milliseconds in which a dispatcher may find another host; after that its further calls are refused. */
const SUCCESSOR_MS = 1000;
/** Milliseconds for calls under way when a server of NATS is about to stop. */
const LEAVE_MS = 1000;

type State =
  | { readonly kind: 'serving' }
  | { readonly kind: 'leaving'; readonly since: number }
  | { readonly kind: 'closed' };

/** Host that serves sessions of dispatchers, within one limit for all. */
export class NatsTaskHost implements NatsHost {
  readonly id: string;
  readonly #options: HostOptions;
  readonly #link: NatsLink;
  readonly #sessions: HostSessions;
  readonly #admission: Admission;
  readonly #announcer: Announcer;
  readonly #ticks: HostTicks;
  readonly #json: NatsJsonEndpoint | undefined;
  readonly #readyWaiters: { resolve(): void; reject(error: unknown): void }[] = [];
  readonly #counts = { asked: 0, completed: 0, failed: 0, aborted: 0 };
  #state: State = { kind: 'serving' };
  /** Time at which the server of NATS asked its clients to leave. */
  #serverLeavesAt: number | undefined;
  #countedAt = Number.NEGATIVE_INFINITY;
  #draining: Promise<DrainReport> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    const { clock, random, fleet, hostId, revision, maxSessions, maxMessageBytes } = options;
    this.#options = options;
    this.id = newIdentity(hostId, random);
    const subjects = subjectsOf(fleet);
    const sessions = new Map<string, HostSession>();
    this.#admission = new Admission(sessions, capacityOf(options), {
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
      clock,
      sessions,
      isActive: () => this.#admission.running > 0 || this.#isLeaving,
      tick: (now, lateMs) => this.#tick(now, lateMs),
    });
    const { name: local } = options.dispatcher.stats();
    this.#sessions = new HostSessions({
      host: this.id,
      name: `host ${this.id}${revision === undefined ? '' : ` (revision ${revision})`}`,
      link: this.#link,
      subjects,
      sessions,
      clock,
      maxSessions,
      maxMessageBytes,
      acceptsModules: options.acceptsModules,
      admission: this.#admission,
      module: this.#module(),
      isLoss: (error) => isLossOf(local, error),
      isLeaving: () => this.#isLeaving,
      opened: () => this.#ticks.sooner(),
      // Dispatchers that have lost this host wait for its announcement.
      silent: () => this.#announcer.answer(),
    });
    this.#announcer = new Announcer({
      link: this.#link,
      subject: subjects.here,
      clock,
      random,
      announcement: (withinMs) => this.#announcement(withinMs),
      hosts: () => Math.max(0, ...this.#sessions.all.map(({ hosts }) => hosts)),
    });
    this.#link.subscribe(subjects.who, () => this.#announcer.answer());
    this.#ticks.start();
  }

  get state(): NatsHostState {
    if (this.#state.kind !== 'serving') return this.#state.kind;
    const { state } = this.#link;
    return state === 'connected' ? 'serving' : state;
  }

  ready(): Promise<void> {
    if (this.#state.kind === 'closed') return Promise.reject(closedError(this.id));
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
      fleet,
      zone,
      revision,
      tasks,
      state: this.state,
      capacity: this.#admission.capacity,
      running: this.#admission.running,
      ...this.#counts,
      busy: this.#admission.busy,
      sessions: this.#sessions.all.map((session) => session.stats(now)),
      ...this.#sessions.counts,
      refused: { ...this.#sessions.refused },
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

  /** True if the host, or its server of NATS, takes no further calls. */
  get #isLeaving(): boolean {
    return this.#state.kind !== 'serving' || this.#serverLeavesAt !== undefined;
  }

  #become(state: State): void {
    this.#state = state;
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
    for (const session of this.#sessions.all) session.refuseCalls();
    this.#ticks.sooner();
  }

  #disconnected(): void {
    this.#serverLeavesAt = undefined;
    this.#json?.disconnected();
    for (const session of this.#sessions.all) {
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

  async #drain(timeoutMs: number | undefined): Promise<DrainReport> {
    const { clock } = this.#options;
    const before = { ...this.#counts };
    if (this.#state.kind === 'serving') this.#leave();
    const timer =
      timeoutMs === undefined
        ? undefined
        : clock.setTimeout(
            () => this.#endAll(`it left within timeoutMs (${timeoutMs} ms)`),
            timeoutMs,
          );
    const json = this.#json?.drain();
    await this.#sessions.untilEmpty();
    await json;
    clock.clearTimeout(timer);
    const { completed, failed, aborted } = this.#counts;
    await this.close();
    return {
      completed: completed + failed - before.completed - before.failed,
      aborted: aborted - before.aborted,
    };
  }

  #leave(): void {
    this.#become({ kind: 'leaving', since: this.#options.clock.now() });
    this.#announcer.announce();
    for (const session of this.#sessions.all) session.leave();
    this.#ticks.sooner();
  }

  #endAll(reason: string): void {
    void this.#json?.close();
    this.#sessions.endAll(reason);
  }

  async #close(): Promise<void> {
    this.#become({ kind: 'closed' });
    this.#announcer.publish();
    this.#endAll('the host is closed');
    this.#notReady(closedError(this.id));
    this.#ticks.close();
    this.#announcer.close();
    await this.#json?.close();
    this.#admission.close();
    await this.#link.close();
  }

  #tick(now: number, lateMs: number): void {
    const sessions = this.#sessions.all;
    if (sessions.some(({ silentAfterMs }) => lateMs > silentAfterMs / 2)) {
      publishHostEvent({ type: 'late', host: this.id, blockedMs: lateMs });
    }
    this.#sessions.tick();
    const state = this.#state;
    const leavesForMs = state.kind === 'leaving' ? now - state.since : 0;
    for (const session of sessions) {
      session.tick(now, lateMs > LATE_MS ? lateMs : 0);
      if (leavesForMs >= SUCCESSOR_MS) farewell(session);
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
    return this.#sessions.all.every(({ hasNoCalls }) => hasNoCalls);
  }
}

/** Ends the session of a leaving host as soon as it has no calls, so that a dispatcher without another host loses none. */
function farewell(session: HostSession): void {
  session.refuseCalls();
  if (session.hasNoCalls) session.end({ tells: true, lost: false, reason: 'the host leaves' });
}
