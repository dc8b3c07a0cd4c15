import type { Clock } from '@ticketing/kit';
import { type Announcement, encodeJson } from '../fleet/announcement.ts';
import type { NatsLink } from '../link/nats-link.ts';

/** Milliseconds between two announcements of a host, 30 % more or less, so that many hosts do not announce at once. */
const ANNOUNCE_MS = 10_000;
const ANNOUNCE_JITTER = 0.3;
/** Least milliseconds between announcements of all hosts together, because every dispatcher reads each of them. */
const EACH_MS = 200;
/** Most milliseconds, at random, until a host answers `who`. */
const ANSWER_MS = 50;

/** Options of an announcer: the host's link, and its announcement. */
export interface AnnouncerOptions {
  readonly link: NatsLink;
  readonly subject: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly announcement: (withinMs: number) => Announcement;
  /** Returns the number of hosts in the fleet that are known here. */
  readonly hosts: () => number;
}

/** Announces a host to dispatchers: when it joins or changes, when they ask, and from time to time. */
export class Announcer {
  readonly #options: AnnouncerOptions;
  #timer: unknown;
  /** Milliseconds between two announcements, on average. */
  #everyMs = 0;
  #answerTimer: unknown;
  #isClosed = false;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Announces the host now, and again every ten seconds or so, less often in a large fleet. */
  announce(): void {
    const { clock, random, hosts } = this.#options;
    clock.clearTimeout(this.#timer);
    const everyMs = Math.max(ANNOUNCE_MS, hosts() * EACH_MS);
    // Hosts that start together, or find the fleet grown together, are spread over the time between two announcements.
    const isNew = everyMs > 2 * this.#everyMs;
    this.#everyMs = everyMs;
    const part = isNew ? random() : 1 + ANNOUNCE_JITTER * (2 * random() - 1);
    this.publish();
    if (this.#isClosed) return;
    this.#timer = clock.setTimeout(() => this.announce(), everyMs * part);
  }

  /** Announces the host soon, once for all dispatchers that ask in that time. */
  answer(): void {
    const { clock, random } = this.#options;
    if (this.#answerTimer !== undefined || this.#isClosed) return;
    this.#answerTimer = clock.setTimeout(() => {
      this.#answerTimer = undefined;
      this.publish();
    }, random() * ANSWER_MS);
  }

  publish(): void {
    const { link, subject, announcement } = this.#options;
    const withinMs = Math.ceil(Math.max(ANNOUNCE_MS, this.#everyMs) * (1 + ANNOUNCE_JITTER));
    link.publish(subject, encodeJson(announcement(withinMs)));
  }

  close(): void {
    const { clock } = this.#options;
    this.#isClosed = true;
    clock.clearTimeout(this.#timer);
    clock.clearTimeout(this.#answerTimer);
  }
}
