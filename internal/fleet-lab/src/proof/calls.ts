import { quantile } from '@ticketing/bench-kit';
import type { Call, JournalLine } from '../programs/messages.ts';

/** One second of a proof. */
export interface Second {
  readonly second: number;
  readonly asked: number;
  readonly answered: number;
  readonly lost: number;
  /** Calls that were neither answered nor lost. */
  readonly failed: number;
  readonly retried: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Hosts that the dispatchers use, of the dispatcher that sees fewest. */
  readonly hosts: number;
}

export const LOST = 'ERR_WORKER_LOST';

/** Returns the seconds of a load: calls asked in each, and calls that ended in it. */
export function secondsOf({
  calls,
  startedAt: from,
  hosts,
  journal,
}: {
  readonly calls: readonly Call[];
  readonly startedAt: number;
  readonly hosts: readonly number[];
  readonly journal: readonly JournalLine[];
}): Second[] {
  const twice = begunTwice(journal);
  const last = Math.max(0, ...calls.map(({ at, ms }) => at + ms - from));
  return Array.from({ length: Math.ceil(last / 1000) }, (_, second) => {
    const isIn = (time: number): boolean => Math.floor((time - from) / 1000) === second;
    const ended = calls.filter(({ at, ms }) => isIn(at + ms));
    const answers = ended.filter(({ code }) => code === '');
    return {
      second: second + 1,
      asked: calls.filter(({ at }) => isIn(at)).length,
      answered: answers.length,
      lost: ended.filter(({ code }) => code === LOST).length,
      failed: ended.filter(({ code }) => code !== '' && code !== LOST).length,
      retried: answers.filter(({ id }) => twice.has(id)).length,
      p50Ms: timeOf(answers, 0.5),
      p99Ms: timeOf(answers, 0.99),
      hosts: hosts[second] ?? 0,
    };
  });
}

/** Returns a quantile of the times of answers. */
export function timeOf(calls: readonly Call[], share: number): number {
  const answers = calls.filter(({ code }) => code === '');
  const times = answers.map(({ ms }) => ms).sort((one, other) => one - other);
  return quantile(times, share);
}

/** Returns the calls that began two times or more, by the journal. */
export function begunTwice(journal: readonly JournalLine[]): Set<string> {
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const { what, id } of journal) {
    if (what !== 'begin') continue;
    if (once.has(id)) twice.add(id);
    once.add(id);
  }
  return twice;
}

/** Returns the most loads of one key that ran at the same time, by the journal; loads are called `load <key> …`. */
export function mostLoadsOfAKey(journal: readonly JournalLine[]): number {
  const running = new Map<string, Set<string>>();
  let most = 0;
  for (const { what, id, host } of [...journal].sort((one, other) => one.at - other.at)) {
    const key = id.split(' ')[1] ?? '';
    const loads = running.get(key) ?? new Set();
    running.set(key, loads);
    if (what === 'begin') loads.add(id + host);
    else loads.delete(id + host);
    most = Math.max(most, loads.size);
  }
  return most;
}

const COLUMNS = [
  'second',
  'asked',
  'answered',
  'lost',
  'failed',
  'retried',
  'p50Ms',
  'p99Ms',
  'hosts',
] as const satisfies readonly (keyof Second)[];

/** Returns the seconds as CSV. */
export function csvOf(seconds: readonly Second[]): string {
  const rows = seconds.map((each) => COLUMNS.map((column) => rounded(each[column])).join(','));
  return `${[COLUMNS.join(','), ...rows].join('\n')}\n`;
}

/** Returns the calls without an answer as CSV: the time at which each was due, and was told, in milliseconds of the load. */
export function failedCsvOf({
  calls,
  startedAt,
}: {
  readonly calls: readonly Call[];
  readonly startedAt: number;
}): string {
  const failed = calls.filter(({ code }) => code !== '').sort((one, other) => one.at - other.at);
  const rows = failed.map(({ id, mayTwice, at, ms, code }) =>
    [id, mayTwice, rounded(at - startedAt), rounded(at + ms - startedAt), code].join(','),
  );
  return `${['id,mayTwice,dueMs,toldMs,code', ...rows].join('\n')}\n`;
}

/** Returns a second as a line for a person. */
export function lineOf(each: Second): string {
  return COLUMNS.map((column) => `${column.replace('Ms', '')} ${rounded(each[column])}`).join('  ');
}

function rounded(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 10) / 10) : '-';
}
