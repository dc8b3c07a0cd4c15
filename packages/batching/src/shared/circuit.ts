import { type Clock, Fifo } from '@ticketing/kit';
import { batchingChannel } from '../batching-channel.ts';

/** Failures within `WITHIN_MS` that open the circuit. */
const FAILURES = 3;
const WITHIN_MS = 1000;

const stateChanged = batchingChannel('ticketing:batching:coordinator');

export interface CircuitOptions {
  readonly name: string;
  readonly commandTimeoutMs: number;
  readonly downMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onDown: () => void;
}

/** A command that was sent. */
interface Sent {
  readonly until: number;
  isOpen: boolean;
  expire(): void;
}

/**
 * Asks an engine, and stops asking for `downMs` ± 50 % when three commands failed within a second; then one command is the
 * probe. Commands are neither queued nor repeated.
 */
export class Circuit {
  readonly #options: CircuitOptions;
  readonly #failedAt: number[] = [];
  #down: { readonly until: number } | undefined;
  #isProbing = false;
  readonly #sent = new Fifo<Sent>();
  /** Sent commands that have no answer yet. */
  #open = 0;
  #timer: unknown;
  readonly counts: { errors: number; timeouts: number; downs: number } = {
    errors: 0,
    timeouts: 0,
    downs: 0,
  };
  lastError: string | undefined;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  get state(): 'up' | 'down' {
    return this.#down === undefined ? 'up' : 'down';
  }

  /**
   * Resolves with the answer; with `undefined` if the command failed, was not answered in time, or was not sent. Never
   * rejects. `onLate` gets an answer that came after the time.
   */
  ask<T>(command: () => Promise<T>, onLate?: (answer: T) => void): Promise<T | undefined> {
    const { clock, commandTimeoutMs } = this.#options;
    const isProbe = this.#down !== undefined;
    if (isProbe) {
      if (this.#isProbing || clock.now() < (this.#down?.until ?? 0)) {
        return Promise.resolve(undefined);
      }
      this.#isProbing = true;
    }
    // By hand, because every claim comes this way: an async function would cost it two more promises.
    return new Promise((resolve) => {
      const sent: Sent = {
        until: clock.now() + commandTimeoutMs,
        isOpen: true,
        expire: () => {
          this.counts.timeouts += 1;
          this.#failed(isProbe, `no answer within \`commandTimeoutMs\` (${commandTimeoutMs} ms)`);
          resolve(undefined);
        },
      };
      this.#expireLater(sent);
      command().then(
        (answer) => {
          if (!sent.isOpen) {
            // The engine was held up for a moment. One that is always late has no further probe by this.
            if (!isProbe) this.returned();
            return onLate?.(answer);
          }
          this.#answered(sent);
          if (isProbe) this.#succeeded();
          resolve(answer);
        },
        (error) => {
          if (!sent.isOpen) return;
          this.#answered(sent);
          this.counts.errors += 1;
          this.#failed(isProbe, error);
          resolve(undefined);
        },
      );
    });
  }

  /** One timer for all commands: they end in the order in which they were sent. */
  #expireLater(sent: Sent): void {
    this.#sent.push(sent);
    this.#open += 1;
    if (this.#timer === undefined) this.#setTimer();
  }

  #answered(sent: Sent): void {
    sent.isOpen = false;
    this.#open -= 1;
    // Answers come in order, mostly. What stays here would outlive the young generation, which makes it expensive.
    while (this.#sent.first?.isOpen === false) this.#sent.shift();
    if (this.#open > 0) return;
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #setTimer(): void {
    const { clock, commandTimeoutMs } = this.#options;
    const first = this.#sent.first;
    const ms = first === undefined ? commandTimeoutMs : Math.max(0, first.until - clock.now());
    this.#timer = clock.setTimeout(() => this.#expire(), ms);
  }

  #expire(): void {
    const { clock } = this.#options;
    this.#timer = undefined;
    for (let first = this.#sent.first; first !== undefined; first = this.#sent.first) {
      // The platform's timers may fire a millisecond early.
      if (first.isOpen && first.until > clock.now() + 1) break;
      this.#sent.shift();
      if (!first.isOpen) continue;
      first.isOpen = false;
      this.#open -= 1;
      first.expire();
    }
    if (this.#sent.length > 0 && this.#timer === undefined) this.#setTimer();
  }

  /** The engine is there again: the next command is the probe. */
  returned(): void {
    if (this.#down !== undefined) this.#down = { until: this.#options.clock.now() };
  }

  #succeeded(): void {
    this.#isProbing = false;
    if (this.#down === undefined) return;
    this.#failedAt.length = 0;
    this.#down = undefined;
    if (stateChanged.hasSubscribers) {
      stateChanged.publish({ name: this.#options.name, state: 'up' });
    }
  }

  #failed(isProbe: boolean, error: unknown): void {
    const { name, clock, random, downMs, onDown } = this.#options;
    if (isProbe) this.#isProbing = false;
    const now = clock.now();
    this.lastError = error instanceof Error ? error.message : String(error);
    this.#failedAt.push(now);
    while (now - (this.#failedAt[0] as number) > WITHIN_MS) this.#failedAt.shift();
    // Commands that were under way when the circuit opened do not keep it open for longer.
    if (this.#down !== undefined ? !isProbe : this.#failedAt.length < FAILURES) return;
    const wasUp = this.#down === undefined;
    this.#down = { until: now + downMs * (0.5 + random()) };
    this.#failedAt.length = 0;
    if (!wasUp) return;
    this.counts.downs += 1;
    onDown();
    if (stateChanged.hasSubscribers) stateChanged.publish({ name, state: 'down', error });
  }
}
