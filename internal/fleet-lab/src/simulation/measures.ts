import { quantile } from '@ticketing/bench-kit';
import { type MessageCounts, messageKinds } from './simulated-nats.ts';

/** End of one call. */
export interface Ended {
  readonly ms: number;
  /** Code of the error; '' for an answer. */
  readonly code: string;
  readonly hasKey: boolean;
}

/** Results of one phase of a simulation. */
export interface PhaseResult {
  readonly setting: string;
  readonly phase: string;
  readonly seconds: number;
  readonly asked: number;
  readonly answered: number;
  /** Messages a second, by kind: published, and received. */
  readonly published: MessageCounts;
  readonly delivered: MessageCounts;
  /** Announcements and beats ÷ calls and answers. */
  readonly overheadPublished: number;
  readonly overheadDelivered: number;
  /** Calls that the busiest host began ÷ calls of the mean host, of hosts that were there all the time. */
  readonly maxOverMean: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** Calls that went back for want of room ÷ calls. */
  readonly busyShare: number;
  readonly lost: number;
  /** Calls that ended by another error. */
  readonly failed: number;
  /** Text of the other errors by code: `ERR_OVERLOADED 3`. */
  readonly errors: string;
  readonly retried: number;
  readonly twice: number;
  /** Loads of one key at a time at most; and share of loads that began beside another. */
  readonly mostLoads: number;
  readonly doubleLoads: number;
  /** Milliseconds from the fault of one host until the last loss was told. */
  readonly toldMs: number | undefined;
  /** Seconds until hosts had even work again after the fault; undefined: not within the phase, or no fault. */
  readonly balancedSeconds: number | undefined;
}

export function timesOf(calls: readonly Ended[]): { p50Ms: number; p99Ms: number; p999Ms: number } {
  const times = calls.filter(({ code, hasKey }) => code === '' && !hasKey).map(({ ms }) => ms);
  times.sort((one, other) => one - other);
  return {
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    p999Ms: quantile(times, 0.999),
  };
}

/** Returns errors other than `except` by code, the most frequent first. */
export function errorsOf(calls: readonly Ended[], except: string): string {
  const counts = new Map<string, number>();
  for (const { code } of calls) {
    if (code !== '' && code !== except) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([code, count]) => `${code} ${count}`)
    .join(' ');
}

/** Returns standard deviation ÷ mean. */
export function unevenness(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (mean === 0) return 0;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return Math.sqrt(square) / mean;
}

export function minus(after: MessageCounts, before: MessageCounts, seconds: number): MessageCounts {
  return Object.fromEntries(
    messageKinds.map((kind) => [kind, (after[kind] - before[kind]) / seconds]),
  ) as MessageCounts;
}

/** Returns the messages that keep the fleet together ÷ messages of calls. */
export function overheadOf({ announcements, beats, calls, answers }: MessageCounts): number {
  return (announcements + beats) / Math.max(1, calls + answers);
}

/** Evenness of the hosts' work, second by second: shows the end of a fault. */
export class Balance {
  /** Calls begun in the last four quarters of a second, by host. */
  readonly #quarters: ReadonlyMap<number, number>[] = [];
  readonly #usual: number[] = [];

  /** Takes a quarter of a second in. @returns unevenness of the last second; undefined before the first is complete */
  add(begun: ReadonlyMap<number, number>, hosts: readonly number[]): number | undefined {
    this.#quarters.push(begun);
    if (this.#quarters.length > 4) this.#quarters.shift();
    if (this.#quarters.length < 4) return undefined;
    const counts = hosts.map((host) =>
      this.#quarters.reduce((sum, quarter) => sum + (quarter.get(host) ?? 0), 0),
    );
    return unevenness(counts);
  }

  /** Notes an unevenness without a fault. */
  usual(value: number): void {
    this.#usual.push(value);
  }

  /** Returns true if the balance is as even as without a fault, within a tenth. */
  isEven(value: number): boolean {
    return value <= 1.1 * Math.max(...this.#usual, 0.02);
  }
}
