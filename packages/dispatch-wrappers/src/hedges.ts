import type { DispatcherStats, DrainOptions, DrainReport } from '@ticketing/dispatch';
import { type Clock, createSignalListeners, type SignalListeners } from '@ticketing/kit';
import type { UntypedDispatcher } from './wrap-dispatcher.ts';
import { type Ending, type Endings, noEndings } from './wrapped-calls.ts';

/** Second attempts that a quiet time saves up: a burst of slow calls does not double the load. */
const MOST_SAVED = 10;

export interface HedgeSettings {
  readonly afterMs: number;
  readonly share: number;
  readonly clock: Clock;
}

/** Second attempts. */
export interface HedgeStats {
  /** Calls that were given to a second worker, and how many of them it answered first. */
  readonly hedged: number;
  readonly won: number;
  /** Slow calls that were not: above `share`; no other worker had room. */
  readonly withheld: number;
  readonly noRoom: number;
}

/** Budget and counts of the second attempts of one wrapper. */
export class Hedges {
  readonly name: string;
  readonly dispatcher: UntypedDispatcher;
  readonly settings: HedgeSettings;
  readonly signals: SignalListeners = createSignalListeners();
  readonly #counts = { hedged: 0, won: 0, withheld: 0, noRoom: 0 };
  /** Attempts beside the one whose outcome a caller sees: all so far, and the ended ones. */
  #attempts = 0;
  readonly #unseen: Endings = noEndings();
  /** Second attempts that may be made now. */
  #saved = 0;

  constructor(dispatcher: UntypedDispatcher, settings: HedgeSettings) {
    this.name = dispatcher.stats().name;
    this.dispatcher = dispatcher;
    this.settings = settings;
  }

  /** Adds the share of one call to the budget. */
  save(): void {
    this.#saved = Math.min(MOST_SAVED, this.#saved + this.settings.share);
  }

  /** Takes one second attempt out of the budget. @returns whether there was one */
  take(): boolean {
    // Shares add up to a little less than 1.
    if (this.#saved < 1 - 1e-9) {
      this.#counts.withheld += 1;
      return false;
    }
    this.#saved -= 1;
    this.#attempts += 1;
    return true;
  }

  /** Returns an attempt that no worker got to the budget. */
  giveBack(): void {
    this.#counts.noRoom += 1;
    this.#saved += 1;
  }

  /** Counts a second attempt that a worker got. */
  sent(): void {
    this.#counts.hedged += 1;
  }

  /** Counts a call that its second worker answered first. */
  won(): void {
    this.#counts.won += 1;
  }

  /** Counts an attempt whose outcome no caller sees. */
  endedUnseen(ending: Ending): void {
    this.#unseen[ending] += 1;
  }

  /** Returns the statistics of the dispatcher, in which each call counts once. */
  stats(): DispatcherStats & { readonly hedge: HedgeStats } {
    const all = this.dispatcher.stats();
    const { completed, failed, aborted, rejected } = this.#unseen;
    const open = this.#attempts - completed - failed - aborted - rejected;
    return {
      ...all,
      asked: all.asked - this.#attempts,
      running: Math.max(0, all.running - open),
      completed: all.completed - completed,
      failed: all.failed - failed,
      aborted: all.aborted - aborted,
      rejected: all.rejected - rejected,
      hedge: { ...this.#counts },
    };
  }

  /** Drains the dispatcher, and reports calls instead of attempts. */
  async drain(options: DrainOptions | undefined): Promise<DrainReport> {
    const before = { ...this.#unseen };
    const { completed, aborted } = await this.dispatcher.drain(options);
    const after = this.#unseen;
    const answered = after.completed + after.failed - before.completed - before.failed;
    return {
      completed: completed - answered,
      aborted: aborted - (after.aborted - before.aborted),
    };
  }
}
