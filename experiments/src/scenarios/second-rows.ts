import { quantile } from '@ticketing/bench-kit';
import type { Answer } from '../loading/open-loop.ts';

/** Outcomes of the requests that were due in one second. */
export interface SecondRow {
  readonly second: number;
  readonly sent: number;
  readonly answered: number;
  /** Wrong answers, missing answers, and requests not sent because too many were in flight. */
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sorts answers into the seconds in which they were due. */
export function createSecondRows(): {
  add(answer: Answer): void;
  row(second: number): SecondRow;
} {
  const seconds = new Map<number, Answer[]>();
  return {
    add(answer) {
      const second = Math.floor(answer.dueMs / 1000);
      const own = seconds.get(second);
      if (own === undefined) seconds.set(second, [answer]);
      else own.push(answer);
    },
    row(second) {
      const answers = seconds.get(second) ?? [];
      const good = answers.filter(({ kind }) => kind === 'answered');
      const sorted = good.map(({ ms }) => ms).sort((a, b) => a - b);
      return {
        second,
        sent: answers.filter(({ kind }) => kind !== 'not-sent').length,
        answered: good.length,
        failed: answers.length - good.length,
        p50Ms: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
      };
    },
  };
}
