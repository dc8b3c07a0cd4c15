import type { TaskMap, TaskModule } from '@ticketing/dispatch';
import type { NatsRefusal } from '../contract/host-event.ts';
import type { NatsMessage } from '../contract/nats-like.ts';
import {
  encodeJson,
  type Opened,
  type Opening,
  PROTOCOL,
  readOpening,
  V8_FORMAT,
} from '../fleet/announcement.ts';
import { noRefusals } from '../fleet/no-refusals.ts';
import type { FleetSubjects } from '../fleet/subjects.ts';
import type { NatsLink } from '../link/nats-link.ts';
import { farewell } from '../link/session-message.ts';
import type { Admission } from './admission.ts';
import { EndedSessions } from './ended-sessions.ts';
import type { HostOptions } from './host-options.ts';
import { HostSession } from './host-session.ts';

/** Parts of the host that its sessions need. */
export interface HostSessionsOptions
  extends Pick<HostOptions, 'maxSessions' | 'maxMessageBytes' | 'acceptsModules' | 'clock'> {
  /** Id of the host. */
  readonly host: string;
  /** Name of the host and its revision in errors. */
  readonly name: string;
  readonly link: NatsLink;
  readonly subjects: FleetSubjects;
  readonly admission: Admission;
  readonly module: TaskModule<TaskMap>;
  /** Sessions by the end of their subject, which this class alone changes. */
  readonly sessions: Map<string, HostSession>;
  /** Returns true for the error of a call that was lost with a worker of this host. */
  isLoss(error: unknown): boolean;
  /** Returns true if the host takes no further calls. */
  isLeaving(): boolean;
  /** Reports a new session. */
  opened(): void;
  /** Reports a session that ends because its dispatcher is silent, or has waited too long. */
  silent(): void;
}

/** Sessions of dispatchers with a host: opens and ends them, and counts both. */
export class HostSessions {
  /** Number of sessions that were opened, and of sessions that ended without a request of their dispatcher. */
  readonly counts = { opened: 0, lost: 0 };
  /** Sessions that were refused, by reason. */
  readonly refused: Record<NatsRefusal, number> = noRefusals();
  readonly #options: HostSessionsOptions;
  readonly #ended: EndedSessions;
  #emptied: (() => void) | undefined;

  constructor(options: HostSessionsOptions) {
    const { link, subjects, host } = options;
    this.#options = options;
    this.#ended = new EndedSessions((dispatcher, session) =>
      link.publish(subjects.toDispatcher(dispatcher, session), farewell()),
    );
    const prefix = subjects.ofHost(host).length - 1;
    link.subscribe(subjects.ofHost(host), ({ subject, data }) => {
      const key = subject.slice(prefix);
      const session = options.sessions.get(key) ?? this.#ended;
      session.receive(data, key);
    });
    link.subscribe(subjects.open(host), (message) => this.#open(message));
  }

  /** Sessions at this moment: a copy, because a session may end while the others are visited. */
  get all(): readonly HostSession[] {
    return [...this.#options.sessions.values()];
  }

  /** Notes a tick of the host, after which the end of a session may be reported again to its dispatcher. */
  tick(): void {
    this.#ended.tick();
  }

  endAll(reason: string): void {
    for (const session of this.all) session.end({ tells: true, lost: false, reason });
  }

  /** Resolves when there is no session. */
  async untilEmpty(): Promise<void> {
    if (this.#options.sessions.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }

  #open({ data, reply }: NatsMessage): void {
    const { sessions, subjects, link } = this.#options;
    const opening = readOpening(data);
    if (opening === undefined) return;
    const { dispatcher, session } = opening;
    if (!reply) sessions.get(keyOf(dispatcher, session))?.knows(opening.hosts);
    // An answer to any other subject would let a stranger publish as this host.
    if (reply !== subjects.toDispatcher(dispatcher, session)) return;
    const answer = this.#answerTo(opening, reply);
    if (!answer.ok) this.refused[answer.reason] += 1;
    link.publish(reply, encodeJson(answer));
  }

  #answerTo(opening: Opening, subject: string): Opened {
    const { host, sessions, maxSessions, maxMessageBytes, acceptsModules } = this.#options;
    const { admission, isLeaving, opened } = this.#options;
    const refuse = (reason: 'full' | 'leaving' | 'protocol' | 'v8'): Opened => ({
      host,
      ok: false,
      reason,
    });
    if (opening.protocol !== PROTOCOL) return refuse('protocol');
    if (opening.v8 !== V8_FORMAT) return refuse('v8');
    if (isLeaving()) return refuse('leaving');
    const key = keyOf(opening.dispatcher, opening.session);
    // A session is opened once: a second opening with its number is a replay.
    if (sessions.size >= maxSessions || sessions.has(key)) return refuse('full');
    const credit = admission.creditAmong(sessions.size + 1);
    const module = acceptsModules ? opening.module : undefined;
    sessions.set(key, this.#create({ ...opening, module }, { subject, credit }));
    this.counts.opened += 1;
    opened();
    admission.shareSoon();
    return { host, ok: true, window: credit, maxMessageBytes, streams: true };
  }

  #create(opening: Opening, given: { subject: string; credit: number }): HostSession {
    const { link, name, maxMessageBytes, module, isLoss, clock, admission, silent } = this.#options;
    return new HostSession(opening, given, {
      link,
      name,
      maxMessageBytes,
      module,
      isLoss,
      now: () => clock.now(),
      admission,
      silent,
      ended: (session, lost) => this.#end(session, lost),
    });
  }

  #end(session: HostSession, lost: boolean): void {
    const { sessions, admission } = this.#options;
    sessions.delete(keyOf(session.dispatcher, session.number));
    admission.ended(session);
    if (lost) this.counts.lost += 1;
    if (sessions.size === 0) this.#emptied?.();
  }
}

function keyOf(dispatcher: string, session: number): string {
  return `${dispatcher}.${session}`;
}
