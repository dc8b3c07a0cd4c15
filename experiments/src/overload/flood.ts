import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '@ticketing/bench-kit';
import { Agent, Client, type Dispatcher } from 'undici';
import { openLoop } from '../loading/open-loop.ts';

/** Outcome of one request. */
export interface FloodAnswer {
  /** Time at which the request was due, in milliseconds since the start. */
  readonly dueMs: number;
  /** Milliseconds from `dueMs` to the whole answer. */
  readonly ms: number;
  /** 0: no answer, or not sent because too many were in flight. */
  readonly status: number;
  /** A 200 that has every carrier's answer. */
  readonly complete: boolean;
}

/** Plain data. */
export interface FloodResult {
  /** Requests per second that were due. */
  readonly offered: number;
  /** Good answers per second, until the last answer of any kind: complete 200s within the limit of their arrival. */
  readonly goodput: number;
  /** Share of all requests with a good answer; the next three are shares of all requests, too. */
  readonly good: number;
  readonly lateOrPartial: number;
  readonly refused: number;
  readonly unanswered: number;
  /** Median of the 200s. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median of answers with 503. */
  readonly refusedP50Ms: number;
  /** Milliseconds from the time at which the last request was due to the last answer. */
  readonly lastMs: number;
  /** Milliseconds from the last request until good answers come as fast as before the flood. */
  readonly recoveryMs: number;
}

export interface FloodOptions {
  readonly url: string;
  /** Paths that are asked in turn. */
  readonly paths: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
  /** A good answer takes no longer, in milliseconds. */
  readonly limitMs: number;
  /** A text that the body of a complete answer has; '' if every 200 is one. */
  readonly mark: string;
  /** Milliseconds that an answer takes without load. */
  readonly idleMs: number;
}

/** Milliseconds after which a request counts as not answered. */
const TIMEOUT_MS = 12_000;
/** Each has a connection. */
const MOST_IN_FLIGHT = 15_000;
const FLOOD_PRIORITY = os.constants.priority.PRIORITY_HIGH;
const PROBE_MS = 20;
const PROBES_IN_A_ROW = 5;
const LONGEST_RECOVERY_MS = 30_000;
/** A probe is as fast as before if it takes at most this many times the idle time, or this many milliseconds. */
const SLOWER = 3;
const FAST_MS = 100;

/**
 * Sends at a constant rate without waiting for answers, then waits for every answer and for the server to recover. Takes a
 * higher scheduling priority than the server where the system allows it: a load that shares the cores with an overloaded server
 * would send late, and count its own lateness as the server's.
 */
export async function flood(options: FloodOptions): Promise<FloodResult> {
  const ownPriority = os.getPriority();
  setPriority(FLOOD_PRIORITY);
  try {
    return await floodNow(options);
  } finally {
    // The next server is a child of this process, and inherits its priority.
    setPriority(ownPriority);
  }
}

function setPriority(priority: number): void {
  try {
    os.setPriority(priority);
  } catch {
    // The system does not allow a higher priority.
  }
}

async function floodNow(options: FloodOptions): Promise<FloodResult> {
  const { url, paths, perSecond, seconds } = options;
  const timeouts = {
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connectTimeout: TIMEOUT_MS,
  };
  const agent = new Agent({ ...timeouts, connections: MOST_IN_FLIGHT, pipelining: 1 });
  const answers: FloodAnswer[] = [];
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  let sent = 0;
  const loop = openLoop({
    perSecond,
    maxInFlight: MOST_IN_FLIGHT,
    async send(dueMs) {
      const path = paths[sent % paths.length] ?? '/';
      sent += 1;
      const answer = await read(agent, { origin: url, path, mark: options.mark });
      answers.push({ ...answer, dueMs, ms: elapsed() - dueMs });
      return answer.status === 200;
    },
    onAnswer: ({ kind, dueMs, ms }) => {
      if (kind === 'not-sent') answers.push({ dueMs, ms, status: 0, complete: false });
    },
  });
  try {
    await sleep(seconds * 1000);
    const stopped = loop.stop();
    const recoveryMs = await recovery(options);
    await stopped;
    return { ...floodResult(answers, options), recoveryMs };
  } finally {
    await agent.destroy();
  }
}

/** Counts the outcomes of a flood's requests. */
export function floodResult(
  answers: readonly FloodAnswer[],
  { perSecond, seconds, limitMs }: Pick<FloodOptions, 'perSecond' | 'seconds' | 'limitMs'>,
): Omit<FloodResult, 'recoveryMs'> {
  const served = answers.filter(({ status }) => status === 200);
  const good = served.filter(({ complete, ms }) => complete && ms <= limitMs);
  const refused = answers.filter(({ status }) => status === 503);
  const unanswered = answers.filter(({ status }) => status === 0);
  const endMs = Math.max(seconds * 1000, ...answers.map(({ dueMs, ms }) => dueMs + ms));
  const share = (some: readonly FloodAnswer[]): number => some.length / answers.length;
  const sorted = (some: readonly FloodAnswer[]) => Float64Array.from(some, ({ ms }) => ms).sort();
  const [ofServed, ofRefused] = [sorted(served), sorted(refused)];
  return {
    offered: perSecond,
    goodput: (good.length * 1000) / endMs,
    good: share(good),
    lateOrPartial: share(served) - share(good),
    refused: share(refused),
    unanswered: share(unanswered),
    p50Ms: quantile(ofServed, 0.5),
    p99Ms: quantile(ofServed, 0.99),
    refusedP50Ms: quantile(ofRefused, 0.5),
    lastMs: endMs - seconds * 1000,
  };
}

/** Returns the median time of a request without other load. */
export async function idleMs({ url, paths, mark }: Pick<FloodOptions, 'url' | 'paths' | 'mark'>) {
  const connection = new Client(url);
  const times: number[] = [];
  try {
    for (let round = 0; round < 15; round++) {
      const sentAt = performance.now();
      const path = paths[round % paths.length] ?? '/';
      const { complete } = await read(connection, { origin: url, path, mark });
      if (complete) times.push(performance.now() - sentAt);
    }
  } finally {
    await connection.destroy();
  }
  return quantile(
    times.sort((a, b) => a - b),
    0.5,
  );
}

/** Sends a probe a few times per second. Returns the time from which several in a row were as fast as before. */
async function recovery({ url, paths, mark, idleMs: before }: FloodOptions): Promise<number> {
  const connection = new Agent({ connections: 64, pipelining: 1, headersTimeout: TIMEOUT_MS });
  const startedAt = performance.now();
  let firstOfRow: number | undefined;
  let inARow = 0;
  let probes = 0;
  try {
    while (performance.now() - startedAt < LONGEST_RECOVERY_MS) {
      const sentMs = performance.now() - startedAt;
      const path = paths[probes++ % paths.length] ?? '/';
      const { complete } = await read(connection, { origin: url, path, mark });
      const tookMs = performance.now() - startedAt - sentMs;
      if (complete && tookMs <= Math.max(FAST_MS, SLOWER * before)) {
        if (inARow === 0) firstOfRow = sentMs;
        inARow += 1;
        if (inARow === PROBES_IN_A_ROW && firstOfRow !== undefined) return firstOfRow;
      } else {
        inARow = 0;
      }
      await sleep(PROBE_MS);
    }
    return Number.POSITIVE_INFINITY;
  } finally {
    await connection.destroy();
  }
}

/** Status 0 if there is no answer. */
function read(
  dispatcher: Dispatcher,
  { origin, path, mark }: { readonly origin: string; readonly path: string; readonly mark: string },
): Promise<Pick<FloodAnswer, 'status' | 'complete'>> {
  return new Promise((resolve) => {
    let status = 0;
    let complete = mark === '';
    let chunks: Buffer[] = [];
    dispatcher.dispatch(
      { origin, path, method: 'GET' },
      {
        onRequestStart() {},
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData(_controller, chunk) {
          if (status === 200 && mark !== '') chunks.push(chunk);
        },
        onResponseEnd() {
          if (mark !== '') complete = Buffer.concat(chunks).includes(mark);
          chunks = [];
          resolve({ status, complete: complete && status === 200 });
        },
        onResponseError: () => resolve({ status: 0, complete: false }),
      },
    );
  });
}
