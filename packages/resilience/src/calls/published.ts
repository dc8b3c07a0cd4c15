import type { GuardRecord } from '../guard-record.ts';
import { resilienceChannel } from '../resilience-channel.ts';
import type { CircuitKind } from '../resilience-messages.ts';
import { type Circuit, circuitRetryAfterMs } from '../state/circuit.ts';
import { limitOf } from '../state/limit.ts';

const circuitChanged = resilienceChannel('ticketing:resilience:circuit');
const pauseBegan = resilienceChannel('ticketing:resilience:pause');
const limitChanged = resilienceChannel('ticketing:resilience:limit');
const retrySent = resilienceChannel('ticketing:resilience:retry');
const hedgeSent = resilienceChannel('ticketing:resilience:hedge');

export function publishCircuit(
  { options }: GuardRecord,
  circuit: Circuit,
  from: CircuitKind,
  now: number,
): void {
  if (!circuitChanged.hasSubscribers) return;
  const { kind } = circuit.state;
  const openMs = kind === 'open' ? Math.ceil(circuitRetryAfterMs(circuit, now)) : undefined;
  circuitChanged.publish({ name: options.name, state: kind, from, openMs });
}

export function publishPause({ options, rate }: GuardRecord, error: unknown, now: number): void {
  if (!pauseBegan.hasSubscribers) return;
  pauseBegan.publish({ name: options.name, pauseMs: Math.round(rate.pausedUntil - now), error });
}

/** @param before - The limit before the change, not rounded */
export function publishLimit({ options, limit }: GuardRecord, before: number): void {
  if (!limitChanged.hasSubscribers) return;
  const from = Math.floor(before);
  const now = limitOf(limit);
  if (now !== from) limitChanged.publish({ name: options.name, limit: now, from });
}

export function publishRetry(
  { options }: GuardRecord,
  attempt: number,
  failure: { readonly error: unknown; readonly at: number } | undefined,
  now: number,
): void {
  if (!retrySent.hasSubscribers || failure === undefined) return;
  const { error, at } = failure;
  retrySent.publish({ name: options.name, attempt, delayMs: now - at, error });
}

export function publishHedge({ options }: GuardRecord, attempt: number, afterMs: number): void {
  if (hedgeSent.hasSubscribers) hedgeSent.publish({ name: options.name, attempt, afterMs });
}
