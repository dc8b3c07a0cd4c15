import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending } from '../events/event.ts';
import type { EventLog } from '../events/event-log.ts';
import { compareAnswer } from '../truth/compare.ts';
import type { Truth } from '../truth/expected-lines.ts';
import { readDocument, readStream } from '../truth/read-search.ts';
import { wrongContent } from './check-content.ts';
import type { Question } from './questions.ts';
import { type PlannedRequest, requestOf } from './requests.ts';
import type { Clients, Exchange } from './send-request.ts';

export interface LoadOptions {
  readonly clients: Clients;
  readonly log: EventLog;
  readonly truth: Truth;
  readonly seed: number;
  readonly perSecond: number;
  readonly questions: readonly Question[];
  /** Number of the first request. */
  readonly firstId: number;
}

/** A load that runs. */
export interface Load {
  /** Number of the next request. */
  nextId(): number;
  /** Sends no more; resolves once every request has ended. */
  stop(): Promise<void>;
}

/** Sends each request when it is due, whatever happens to the others. */
export function runLoad(options: LoadOptions): Load {
  const { log, clients, firstId } = options;
  const startedAt = performance.now() - requestOf(firstId, options).dueMs;
  const underWay = new Set<Promise<void>>();
  let id = firstId;
  let timer: NodeJS.Timeout | undefined;

  async function begin(planned: PlannedRequest): Promise<void> {
    const { route, client, target } = planned;
    log.add({ kind: 'sent', id: planned.id, route, client, target });
    const again = (): void => log.add({ kind: 'sent-again', id: planned.id });
    const { exchange, heldMs } = await clients.send(planned, again);
    const ending = endingOf(planned, exchange, options.truth);
    log.add({ kind: 'ended', id: planned.id, ending, heldMs });
  }

  function tick(): void {
    for (;;) {
      const planned = requestOf(id, options);
      const waitMs = startedAt + planned.dueMs - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(tick, waitMs);
        return;
      }
      id += 1;
      const request = begin(planned).finally(() => underWay.delete(request));
      underWay.add(request);
    }
  }

  tick();
  return {
    nextId: () => id,
    async stop() {
      clearTimeout(timer);
      await Promise.all(underWay);
    },
  };
}

/** Reads what a client got: whether it is what it had asked for. */
export function endingOf(planned: PlannedRequest, exchange: Exchange, truth: Truth): Ending {
  if (exchange.how !== 'answered') return exchange;
  const { status, headers, text } = exchange;
  const worker = headers['x-worker'];
  const base = {
    ...({ how: 'answered', status } as const),
    ...(headers['retry-after'] !== undefined && { retryAfter: headers['retry-after'] }),
    ...(worker !== undefined && { worker: String(worker) }),
  };
  if (status !== 200)
    return status === 503 || status > 500 ? base : { ...base, wrong: text.slice(0, 300) };
  const { question } = planned;
  try {
    if (question !== undefined) {
      const answer = planned.route === 'stream' ? readStream(text) : readDocument(text);
      return { ...base, search: compareAnswer(answer, { question, truth }) };
    }
    const wrong = wrongContent(planned, text);
    return wrong === undefined ? base : { ...base, wrong };
  } catch (error) {
    return { ...base, wrong: `${(error as Error).message}: ${text.slice(0, 300)}` };
  }
}

/** Resolves after some time; soon if the time is over already. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await sleep(Math.max(0, ms), undefined, { signal }).catch(() => {});
}
