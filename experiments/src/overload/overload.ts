import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop } from '../loading/closed-loop.ts';
import { createPrograms } from '../programs/programs.ts';
import { startDemo } from '../programs/start-demo.ts';
import { type FloodResult, flood, idleMs } from './flood.ts';

/** Flags by which the demo accepts and dispatches. */
export interface Combination {
  readonly accept: string;
  readonly dispatch: string;
}

/** Results of one combination at every multiple of its own capacity. Plain data. */
export interface OverloadRow extends Combination {
  readonly question: string;
  /** Good answers per second to clients that each wait for their answer: the capacity. */
  readonly rate: number;
  /** Milliseconds per answer without load. */
  readonly idleMs: number;
  readonly floods: readonly (FloodResult & { readonly multiple: number })[];
}

/** Question that a flood asks. */
export interface Question {
  readonly name: string;
  readonly paths: readonly string[];
  /** A text that the body of a complete answer has; '' if every 200 is one. */
  readonly mark: string;
}

export interface OverloadOptions {
  readonly combinations: readonly Combination[];
  readonly questions: readonly Question[];
  /** Multiples of the capacity. */
  readonly multiples: readonly number[];
  /** Duration of each flood. */
  readonly seconds: number;
  /** Further flags of the demo. */
  readonly demoFlags: readonly string[];
  readonly onRow?: (row: OverloadRow) => void;
  readonly signal?: AbortSignal;
}

export const ACCEPTS = ['single', 'cluster', 'socket', 'passthru'] as const;
export const DISPATCHES = ['in-process', 'fork', 'piscina'] as const;
const DEADLINE_MS = 2000;
/** An answer is good if it comes within the deadline plus this. */
const TOLERANCE_MS = 500;
const LATENCY_MS = 20;
const WORKERS = 2;
const CLIENTS = 32;
const WARM_UP_MS = 3000;
const CLOSED_LOOP_MS = 5000;
/** Pause between floods, in which the work of the last one ends. */
const PAUSE_MS = 1000;
const DAYS = 40;
const DAY_MS = 86_400_000;

/** Searches on several days, so that a router by key has many keys. */
export function searchQuestion(now: number): Question {
  const dates = Array.from({ length: DAYS }, (_, day) =>
    new Date(now + (day + 1) * DAY_MS).toISOString().slice(0, 10),
  );
  return {
    name: '/search',
    paths: dates.map((date) => `/search?origin=Atocha&destination=Barcelona&date=${date}`),
    mark: '"complete":true',
  };
}

/** `/compute` needs the server alone. */
export const computeQuestion: Question = {
  name: '/compute?ms=5',
  paths: ['/compute?ms=5'],
  mark: '',
};

/** Measures the capacity of each combination, then floods it with multiples of that rate. */
export async function measureOverload(options: OverloadOptions): Promise<OverloadRow[]> {
  const { combinations, questions, onRow = () => {}, signal } = options;
  const rows: OverloadRow[] = [];
  for (const combination of combinations) {
    for (const question of questions) {
      if (signal?.aborted) return rows;
      const row = await measureOne(combination, question, options);
      rows.push(row);
      onRow(row);
    }
  }
  return rows;
}

async function measureOne(
  combination: Combination,
  question: Question,
  { multiples, seconds, demoFlags, signal }: OverloadOptions,
): Promise<OverloadRow> {
  const programs = createPrograms();
  try {
    const { url } = await startDemo(programs, [...flagsOf(combination), ...demoFlags]);
    const { paths, mark, name } = question;
    const closed = { url, clients: CLIENTS, reuse: true, paths };
    await closedLoop({ ...closed, ms: WARM_UP_MS });
    const { perSecond: rate } = await closedLoop({ ...closed, ms: CLOSED_LOOP_MS });
    const idle = await idleMs({ url, paths, mark });
    const floods: OverloadRow['floods'][number][] = [];
    for (const multiple of multiples) {
      if (signal?.aborted) break;
      await sleep(PAUSE_MS);
      const perSecond = multiple * rate;
      const limitMs = DEADLINE_MS + TOLERANCE_MS;
      const result = await flood({ url, paths, mark, perSecond, seconds, limitMs, idleMs: idle });
      floods.push({ multiple, ...result });
    }
    return { ...combination, question: name, rate, idleMs: idle, floods };
  } finally {
    await programs.close();
  }
}

function flagsOf({ accept, dispatch }: Combination): string[] {
  return [
    ...['--accept', accept, '--dispatch', dispatch, '--coalesce', 'off'],
    ...['--latency', String(LATENCY_MS), '--deadline-ms', String(DEADLINE_MS)],
    ...(accept === 'single' ? [] : ['--workers', String(WORKERS)]),
    // In total as many as the smallest supported machine has cores.
    ...(accept === 'single' && dispatch !== 'in-process' ? ['--dispatch-workers', '2'] : []),
  ];
}
