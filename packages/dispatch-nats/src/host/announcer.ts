import type { Clock } from '@ticketing/kit';
import { type Announcement, encodeJson } from '../fleet/announcement.ts';
import type { NatsLink } from '../link/nats-link.ts';

/** Announcements come this often, 30 % more or less, so that those of many hosts do not come together. */
const ANNOUNCE_MS = 10_000;
const ANNOUNCE_JITTER = 0.3;
/** Hosts answer `who` within this, at random. */
const ANSWER_MS = 50;

export interface AnnouncerOptions {
  readonly link: NatsLink;
  readonly subject: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly announcement: () => Announcement;
}

/** Tells dispatchers what a host is: when it joins or changes, when they ask, and from time to time. */
export class Announcer {
  readonly #options: AnnouncerOptions;
  #timer: unknown;
  #answerTimer: unknown;
  #isClosed = false;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Announces the host now, and again every ten seconds or so. */
  announce(): void {
    const { clock, random } = this.#options;
    clock.clearTimeout(this.#timer);
    this.publish();
    if (this.#isClosed) return;
    const ms = ANNOUNCE_MS * (1 + ANNOUNCE_JITTER * (2 * random() - 1));
    this.#timer = clock.setTimeout(() => this.announce(), ms);
  }

  /** Announces it soon, once for all that ask meanwhile. */
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
    link.publish(subject, encodeJson(announcement()));
  }

  close(): void {
    const { clock } = this.#options;
    this.#isClosed = true;
    clock.clearTimeout(this.#timer);
    clock.clearTimeout(this.#answerTimer);
  }
}
