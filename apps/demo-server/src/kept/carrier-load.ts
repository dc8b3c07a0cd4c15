import { setMaxListeners } from 'node:events';
import {
  type Carrier,
  CarrierError,
  type CarrierQuery,
  type RunCarrier,
  type RunContext,
} from '@ticketing/core';
import type { Clock } from '@ticketing/kit';
import { type CarrierRecord, recordOf, recordOfError } from './carrier-record.ts';

/** A question to a carrier, and the search that asks it. */
export interface CarrierQuestion {
  /** Key of the carrier and the query. */
  readonly id: string;
  readonly carrier: Carrier;
  readonly query: CarrierQuery;
  readonly context: RunContext;
  /** Asks the carrier. */
  readonly run: RunCarrier;
  /** True if no kept answer of any server is wanted. */
  readonly anew: boolean;
}

interface LoadOptions {
  /** Aborts when nobody waits. */
  readonly signal: AbortSignal;
  /** Returns the reason with which the carrier's signal aborts then. */
  readonly reasonOf: (reason: unknown) => unknown;
  /** Milliseconds that the load may take, unless its search has more. */
  readonly deadlineMs: number;
  readonly clock: Clock;
}

/**
 * Asks a carrier under a deadline of the load's own, because searches with later deadlines may join it. At the deadline the carrier's
 * signal aborts with TIMEOUT, and the load ends, whether or not the carrier heeds it.
 */
export async function askCarrier(
  { carrier, query, context, run }: CarrierQuestion,
  { signal: unused, reasonOf, deadlineMs, clock }: LoadOptions,
): Promise<CarrierRecord> {
  const startedAt = clock.now();
  const leftMs = Math.max(deadlineMs, context.deadline - startedAt);
  const ending = new AbortController();
  const { signal } = ending;
  setMaxListeners(0, signal);
  const timer = clock.setTimeout(() => {
    ending.abort(new CarrierError('TIMEOUT', `No answer within ${leftMs} ms`));
  }, leftMs);
  const leave = (): void => ending.abort(reasonOf(unused.reason));
  unused.addEventListener('abort', leave);
  if (unused.aborted) leave();
  const interval = () => ({ startedAt, endedAt: clock.now() });
  try {
    const asked = run(carrier, query, { ...context, signal, deadline: startedAt + leftMs });
    return recordOf(await Promise.race([asked, whenAborted(signal)]), interval());
  } catch (error) {
    const record = recordOfError(error, interval());
    if (record === undefined) throw error;
    return record;
  } finally {
    clock.clearTimeout(timer);
    unused.removeEventListener('abort', leave);
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
