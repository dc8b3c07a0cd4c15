import { between, MAX_TIMER_MS, type Rule, wholeBetween } from './options/option-rules.ts';

/** Limits for restarts of failed workers. */
export interface Restart {
  readonly backoffMs: readonly [min: number, max: number];
  readonly maxFailures: number;
  readonly withinMs: number;
}

/** Rules of the option `restart`. */
export const restartRules: Readonly<Record<keyof Restart, Rule>> = {
  backoffMs: {
    // No template: bundlers drop the rules where nothing uses them.
    expected: '[min, max] of 1 to 2147483647, min not above max',
    range: true,
    fallback: [100, 5000],
    test: isBackoff,
  },
  maxFailures: /* @__PURE__ */ wholeBetween(0, 10_000, 5),
  withinMs: /* @__PURE__ */ between(1, MAX_TIMER_MS, 10_000),
};

function isBackoff(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [min, max] = value;
  const { test } = between(1, MAX_TIMER_MS);
  return test(min) && test(max) && min <= max;
}

/** Consequence of a failure: a restart, or none until a probe. */
export type AfterFailure =
  | { readonly kind: 'retry'; readonly afterMs: number }
  | { readonly kind: 'open'; readonly probeAfterMs: number };

/** Decides when failed workers are restarted. Times are milliseconds of one monotonic clock. */
export interface Circuit {
  readonly state: 'closed' | 'open' | 'half-open';
  /** Error of the latest failure; undefined once a worker has answered. */
  readonly lastError: unknown;
  /**
   * A worker failed to start, or ended before it answered a task. `final`: another start would fail the same way.
   * An open circuit stays open, and returns the time until its one probe.
   */
  failed(now: number, error: unknown, final: boolean): AfterFailure;
  /** The probe is being started. Changes an open circuit only. */
  probing(): void;
  /** A worker has answered a task: the circuit closes and forgets earlier failures. */
  succeeded(): void;
}

type State =
  /** `failedAt`: within the period, oldest first. `inARow`: failures since the last success, however long ago. */
  | { readonly kind: 'closed'; readonly failedAt: readonly number[]; readonly inARow: number }
  | { readonly kind: 'open'; readonly probeAt: number }
  | { readonly kind: 'half-open' };

type Event =
  | { readonly kind: 'failed'; readonly now: number; readonly final: boolean }
  | { readonly kind: 'probing' }
  | { readonly kind: 'succeeded' };

const WELL: State = { kind: 'closed', failedAt: [], inARow: 0 };

/**
 * Creates a closed circuit. Failures are tolerated with exponential back-off, half of it random ("equal jitter"), so that
 * workers do not come back all at once. More than `maxFailures` within `withinMs` (the restart intensity of Erlang's
 * supervisors), or a final one, open the circuit; after the longest back-off one worker probes, and decides.
 * Equal jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function createCircuit(restart: Restart, random: () => number): Circuit {
  let state = WELL;
  let lastError: unknown;
  return {
    get state() {
      return state.kind;
    },
    get lastError() {
      return lastError;
    },
    failed(now, error, final) {
      lastError = error;
      state = next(state, { kind: 'failed', now, final }, restart);
      if (state.kind === 'closed') return { kind: 'retry', afterMs: backOff(state.inARow) };
      const probeAt = state.kind === 'open' ? state.probeAt : now;
      return { kind: 'open', probeAfterMs: Math.max(0, probeAt - now) };
    },
    probing() {
      state = next(state, { kind: 'probing' }, restart);
    },
    succeeded() {
      // On each answer, so the usual one costs nothing.
      if (state === WELL) return;
      lastError = undefined;
      state = next(state, { kind: 'succeeded' }, restart);
    },
  };

  function backOff(inARow: number): number {
    const [min, max] = restart.backoffMs;
    const longest = Math.min(max, min * 2 ** (inARow - 1));
    return (longest * (1 + random())) / 2;
  }
}

function next(state: State, event: Event, restart: Restart): State {
  switch (event.kind) {
    case 'succeeded':
      return WELL;
    case 'probing':
      return state.kind === 'open' ? { kind: 'half-open' } : state;
    case 'failed': {
      if (state.kind === 'open') return state;
      const { now, final } = event;
      const open: State = { kind: 'open', probeAt: now + restart.backoffMs[1] };
      if (state.kind === 'half-open' || final) return open;
      const failedAt = [...state.failedAt.filter((at) => now - at < restart.withinMs), now];
      // So the list never has more than `maxFailures` entries.
      if (failedAt.length > restart.maxFailures) return open;
      return { kind: 'closed', failedAt, inARow: state.inARow + 1 };
    }
  }
}
