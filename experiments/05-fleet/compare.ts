import { LOST, messageKinds, type PhaseResult, type RowResult, timeOf } from '@ticketing/fleet-lab';
import type { Compared } from './findings.ts';

const SECOND_MS = 1000;

/** Figures of a row after its fault, on sockets or simulated. */
interface Shown {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly toldMs: number;
  /** Calls that the host had: lost, or tried again. */
  readonly had: number;
  readonly answeredPerSecond: number;
  readonly messagesPerSecond: number;
}

/** Figures that are compared, by the row in which they mean something. A new one is one line. */
const FIGURES: readonly {
  readonly row: string;
  readonly name: string;
  readonly of: keyof Shown;
}[] = [
  { row: 'steady', name: 'nothing: answers a second', of: 'answeredPerSecond' },
  { row: 'steady', name: 'nothing: p50, ms', of: 'p50Ms' },
  { row: 'steady', name: 'nothing: p99, ms', of: 'p99Ms' },
  { row: 'steady', name: 'nothing: messages a second', of: 'messagesPerSecond' },
  { row: 'kill', name: 'SIGKILL: told after, ms', of: 'toldMs' },
  { row: 'kill', name: 'SIGKILL: calls that the host had', of: 'had' },
  { row: 'stop', name: 'SIGSTOP: told after, ms', of: 'toldMs' },
  { row: 'stop', name: 'SIGSTOP: calls that the host had', of: 'had' },
  { row: 'slow', name: 'ten times slower: p50, ms', of: 'p50Ms' },
  { row: 'slow', name: 'ten times slower: p99, ms', of: 'p99Ms' },
];

/** Compares the rows with the phases of the simulation of the same setting. */
export function compare(rows: readonly RowResult[], phases: readonly PhaseResult[]): Compared[] {
  return FIGURES.flatMap(({ row, name, of }) => {
    const result = rows.find(({ id }) => id === row);
    const phase = phases.find((each) => each.phase === row);
    if (result === undefined || phase === undefined) return [];
    return [{ figure: name, sockets: onSockets(result)[of], simulated: simulated(phase)[of] }];
  });
}

function simulated(phase: PhaseResult): Shown {
  const { p50Ms, p99Ms, toldMs = Number.NaN, lost, retried, answered, seconds, published } = phase;
  const messages = messageKinds.reduce((sum, kind) => sum + published[kind], 0);
  return {
    p50Ms,
    p99Ms,
    toldMs,
    had: lost + retried,
    answeredPerSecond: answered / seconds,
    messagesPerSecond: messages,
  };
}

function onSockets({ observed, marks }: RowResult): Shown {
  const fault = marks.get('fault') ?? Number.NaN;
  const { calls, reports } = observed;
  const lastDue = Math.max(...calls.map(({ at }) => at));
  const ended = calls.filter(({ at, ms }) => at + ms >= fault && at + ms <= lastDue);
  const lost = calls.filter(({ code }) => code === LOST);
  const retried = [...reports.values()].reduce((sum, report) => sum + report.retried, 0);
  return {
    p50Ms: timeOf(ended, 0.5),
    p99Ms: timeOf(ended, 0.99),
    toldMs: Math.max(...lost.map(({ at, ms }) => at + ms - fault)),
    had: lost.length + retried,
    answeredPerSecond:
      ended.filter(({ code }) => code === '').length / ((lastDue - fault) / SECOND_MS),
    messagesPerSecond: marks.get('messagesPerSecond') ?? Number.NaN,
  };
}
