import type { ResolvedCircuit } from '../guard-options.ts';

/** State of a circuit. Times are milliseconds of the guard's clock. */
export type CircuitState =
  | { readonly kind: 'closed' }
  /** `opens`: times that it opened since it was closed. */
  | { readonly kind: 'open'; readonly until: number; readonly opens: number }
  /** `passed`: probes that succeeded in a row. */
  | {
      readonly kind: 'half-open';
      readonly opens: number;
      readonly passed: number;
      readonly isProbing: boolean;
    };

/** Record of a circuit; the functions of this file alone write it. */
export interface Circuit {
  readonly options: ResolvedCircuit;
  state: CircuitState;
  /** Grows with each change between kinds: outcomes of attempts that began before it do not count. */
  generation: number;
  /** Times that the circuit opened. */
  opened: number;
  /** Outcomes, a ring: 1 is a failure. */
  readonly failed: Uint8Array;
  /** Times of the outcomes. */
  readonly at: Float64Array;
  /** Index of the oldest outcome. */
  first: number;
  /** Outcomes in the ring. */
  count: number;
  /** Failures among them. */
  failures: number;
}

const CLOSED: CircuitState = { kind: 'closed' };

/** Share by which the milliseconds of an open circuit vary, so that many guards do not probe at once. */
const JITTER = 0.2;

export function createCircuit(options: ResolvedCircuit): Circuit {
  return {
    options,
    state: CLOSED,
    generation: 0,
    opened: 0,
    failed: new Uint8Array(options.windowCalls),
    at: new Float64Array(options.windowCalls),
    first: 0,
    count: 0,
    failures: 0,
  };
}

/** Lets an attempt in, and returns true; in a half-open circuit the attempt is then the probe. */
export function enterCircuit(circuit: Circuit, now: number): boolean {
  const { state } = circuit;
  if (state.kind === 'closed') return true;
  if (state.kind === 'open') {
    if (now < state.until) return false;
    change(circuit, { kind: 'half-open', opens: state.opens, passed: 0, isProbing: true });
    return true;
  }
  if (state.isProbing) return false;
  circuit.state = { ...state, isProbing: true };
  return true;
}

/** Milliseconds until an attempt may be let in. While a probe is out, that is a guess: the time of a first opening. */
export function circuitRetryAfterMs({ state, options }: Circuit, now: number): number {
  if (state.kind === 'open') return Math.max(0, state.until - now);
  return state.kind === 'half-open' && state.isProbing ? options.openMs : 0;
}

/** Takes note of an attempt's success or failure. Returns true if the circuit changed its kind. */
export function noteOutcome(
  circuit: Circuit,
  generation: number,
  isFailure: boolean,
  now: number,
  random: () => number,
): boolean {
  if (generation !== circuit.generation) return false;
  const { state } = circuit;
  if (state.kind === 'half-open') {
    if (isFailure) open(circuit, state.opens, now, random);
    else if (state.passed + 1 >= circuit.options.probes) change(circuit, CLOSED);
    else circuit.state = { ...state, passed: state.passed + 1, isProbing: false };
    return circuit.generation !== generation;
  }
  push(circuit, isFailure, now);
  if (!shouldOpen(circuit)) return false;
  open(circuit, 0, now, random);
  return true;
}

/** Frees the place of a probe whose end has no bearing on the upstream; does nothing for any other attempt. */
export function leaveCircuit(circuit: Circuit, generation: number): void {
  const { state } = circuit;
  if (generation !== circuit.generation || state.kind !== 'half-open') return;
  circuit.state = { ...state, isProbing: false };
}

function shouldOpen({ count, failures, options }: Circuit): boolean {
  return failures > 0 && count >= options.minCalls && failures >= options.failureShare * count;
}

function open(circuit: Circuit, opens: number, now: number, random: () => number): void {
  const { openMs, maxOpenMs } = circuit.options;
  const ms = Math.min(maxOpenMs, openMs * 2 ** opens) * (1 - JITTER + 2 * JITTER * random());
  circuit.opened += 1;
  change(circuit, { kind: 'open', until: now + ms, opens: opens + 1 });
}

function change(circuit: Circuit, state: CircuitState): void {
  circuit.state = state;
  circuit.generation += 1;
  circuit.first = 0;
  circuit.count = 0;
  circuit.failures = 0;
}

function push(circuit: Circuit, isFailure: boolean, now: number): void {
  const { at, failed, options } = circuit;
  forgetBefore(circuit, now - options.windowMs);
  if (circuit.count === at.length) forgetFirst(circuit);
  let place = circuit.first + circuit.count;
  if (place >= at.length) place -= at.length;
  at[place] = now;
  failed[place] = isFailure ? 1 : 0;
  circuit.count += 1;
  if (isFailure) circuit.failures += 1;
}

/** Forgets outcomes from before a time. */
export function forgetBefore(circuit: Circuit, time: number): void {
  while (circuit.count > 0 && (circuit.at[circuit.first] as number) < time) forgetFirst(circuit);
}

function forgetFirst(circuit: Circuit): void {
  circuit.failures -= circuit.failed[circuit.first] as number;
  circuit.count -= 1;
  circuit.first = circuit.first + 1 === circuit.at.length ? 0 : circuit.first + 1;
}
