// Asks a service at a constant rate without waiting for answers, or by clients that wait, and reports what became of the requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '@ticketing/bench-kit';
import { Agent } from 'undici';

/** Plain data. */
export interface FloodOrder {
  readonly port: number;
  /** Requests per second; absent for clients that each wait for their answer, as many as `clients`. */
  readonly perSecond?: number;
  readonly clients?: number;
  readonly seconds: number;
  /** An answer is in time within this. None is waited for longer than half as long again. */
  readonly deadlineMs: number;
}

/** Plain data. */
export interface Flooded {
  readonly sent: number;
  /** Answers in time, per second. */
  readonly perSecond: number;
  /** Milliseconds to answers with 200. */
  readonly p99Ms: number;
  /** Shares of the requests. */
  readonly refused: number;
  readonly late: number;
  /** Milliseconds to answers with 503. */
  readonly refusedP50Ms: number;
}

interface Answer {
  /** 0: none in time. */
  readonly status: number;
  readonly ms: number;
  readonly endedAt: number;
}

const MOST_IN_FLIGHT = 10_000;

process.on('message', async (order: FloodOrder) => process.send?.(await flood(order)));

async function flood(order: FloodOrder): Promise<Flooded> {
  const { port, perSecond, seconds, deadlineMs } = order;
  const timeouts = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 2 * deadlineMs };
  const agent = new Agent({ ...timeouts, connections: MOST_IN_FLIGHT, pipelining: 1 });
  const origin = `http://127.0.0.1:${port}`;
  const answers: Answer[] = [];
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  const isOver = (): boolean => performance.now() - startedAt >= seconds * 1000;

  async function ask(dueAt: number): Promise<void> {
    const status = await agent
      .request({ origin, path: '/', method: 'GET', signal: AbortSignal.timeout(1.5 * deadlineMs) })
      .then(async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      })
      .catch(() => 0);
    const endedAt = performance.now();
    answers.push({ status, ms: endedAt - dueAt, endedAt });
  }

  function begin(dueAt: number): void {
    const asked = ask(dueAt).finally(() => underWay.delete(asked));
    underWay.add(asked);
  }

  async function client(): Promise<void> {
    while (!isOver()) await ask(performance.now());
  }

  if (perSecond === undefined) {
    await Promise.all(Array.from({ length: order.clients ?? 1 }, client));
  } else {
    for (let sent = 0; !isOver(); await sleep(1)) {
      for (; sent < ((performance.now() - startedAt) * perSecond) / 1000; sent += 1) {
        if (underWay.size < MOST_IN_FLIGHT) begin(startedAt + (sent * 1000) / perSecond);
        else answers.push({ status: 0, ms: 0, endedAt: 0 });
      }
    }
    await Promise.all(underWay);
  }
  await agent.destroy();
  return outcomeOf(answers, { startedAt, ...order });
}

function outcomeOf(
  answers: readonly Answer[],
  { startedAt, seconds, deadlineMs }: FloodOrder & { readonly startedAt: number },
): Flooded {
  const served = answers.filter(({ status }) => status === 200);
  const inTime = served.filter(({ ms }) => ms <= deadlineMs);
  const refused = answers.filter(({ status }) => status === 503);
  const lastAt = inTime.reduce((last, { endedAt }) => Math.max(last, endedAt), 0);
  const ofMs = (some: readonly Answer[], share: number): number =>
    quantile(Float64Array.from(some, ({ ms }) => ms).sort(), share);
  return {
    sent: answers.length,
    // What was asked in time is answered after it: a rate over the time of asking alone would be above the capacity.
    perSecond: (inTime.length * 1000) / Math.max(seconds * 1000, lastAt - startedAt),
    p99Ms: ofMs(served, 0.99),
    refused: refused.length / answers.length,
    late: (answers.length - inTime.length - refused.length) / answers.length,
    refusedP50Ms: ofMs(refused, 0.5),
  };
}
