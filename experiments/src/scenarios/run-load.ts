import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Client } from 'undici';
import { ask } from '../loading/ask.ts';
import { openLoop } from '../loading/open-loop.ts';
import { lookAtProcesses, type ProcessRow } from './process-rows.ts';
import type { Scenario } from './scenario.ts';
import { createSecondRows, type SecondRow } from './second-rows.ts';

/** One second of a load. */
export type LoadRow = SecondRow & ProcessRow;

export interface RunLoadOptions extends Scenario {
  readonly url: string;
  readonly path: string;
  /** Called for each second once its requests have had time to be answered. */
  readonly onRow?: (row: LoadRow) => void;
  /** Ends the load early; the rows so far count. */
  readonly signal?: AbortSignal;
}

/** A slower request is an error. */
const TIMEOUT_MS = 10_000;
/** Limit of requests in flight: the number sent in this time if none is answered. */
const MOST_SECONDS_UNDER_WAY = 5;
const SHOW_AFTER_SECONDS = 1;

/** Sends at a constant rate, and reads the state of the server's processes each second. */
export async function runLoad(options: RunLoadOptions): Promise<LoadRow[]> {
  const { url, path, perSecond, seconds, onRow = () => {}, signal } = options;
  const maxInFlight = Math.ceil(perSecond * MOST_SECONDS_UNDER_WAY);
  const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
  const agent = new Agent({ ...timeouts, connections: maxInFlight, pipelining: 1 });
  const watching = new Client(url);
  const dispatcher = agent.compose(
    (dispatch) => (request, handler) => dispatch({ ...request, origin: url }, handler),
  );
  const rows = createSecondRows();
  const processes: ProcessRow[] = [];
  const rowOf = (second: number): LoadRow => ({
    ...rows.row(second),
    ...(processes[second] ?? { memory: {}, loopP99Ms: Number.NaN }),
  });
  const loop = openLoop({
    perSecond,
    maxInFlight,
    send: async () => (await ask(dispatcher, { path })) === 200,
    // A request that is due when the load ends belongs to no second.
    onAnswer: (answer) => answer.dueMs < seconds * 1000 && rows.add(answer),
  });
  const startedAt = performance.now();
  let second = 0;
  try {
    for (; second < seconds && !signal?.aborted; second++) {
      await until(startedAt + (second + 1) * 1000, signal);
      processes[second] = await lookAtProcesses(watching);
      if (second >= SHOW_AFTER_SECONDS) onRow(rowOf(second - SHOW_AFTER_SECONDS));
    }
    await loop.stop();
    for (let left = Math.max(0, second - SHOW_AFTER_SECONDS); left < second; left++)
      onRow(rowOf(left));
    return Array.from({ length: second }, (_, place) => rowOf(place));
  } finally {
    await Promise.all([agent.destroy(), watching.destroy()]);
  }
}

/** Waits until a time, or until the signal. */
async function until(atMs: number, signal: AbortSignal | undefined): Promise<void> {
  const ms = Math.max(0, atMs - performance.now());
  await sleep(ms, undefined, signal && { signal }).catch(() => {});
}
