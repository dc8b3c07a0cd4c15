import type { CarrierAnswer, CarrierFailure, RunCarrier, RunContext } from '@ticketing/core';
import { createGuard, type Guard, GuardError } from '@ticketing/resilience';
import { figuresOf } from './guard-figures.ts';
import type { GuardSettings } from './guard-settings.ts';
import type { Guards } from './joined-guards.ts';
import { verdictOf } from './verdict-of.ts';

/** The guards of a process: one per carrier, whichever of its searches asks. */
export interface CarrierGuards {
  /** Returns `run` within the guard of the carrier that it is to ask. */
  around(run: RunCarrier): RunCarrier;
  /** Returns the figures of each carrier that was asked. */
  stats(): Guards;
  close(): Promise<void>;
}

interface GuardsDependencies {
  /** Absent: no carrier is guarded. */
  readonly settings: GuardSettings | undefined;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Creates the guards of a process. A carrier's guard is there from its first question on. */
export function createCarrierGuards({ settings, now }: GuardsDependencies): CarrierGuards {
  if (settings === undefined) {
    return { around: (run) => run, stats: () => ({}), close: async () => {} };
  }
  const guards = new Map<string, Guard>();
  function guardOf(id: string): Guard {
    const known = guards.get(id);
    if (known !== undefined) return known;
    const guard = createGuard({ name: id, now, ...guardOptions(id, settings as GuardSettings) });
    guards.set(id, guard);
    return guard;
  }
  const questions = createQuestions();
  return {
    around: (run) => (carrier, query, context) => {
      const guard = guardOf(carrier.id);
      return questions.follow(context, (begun) =>
        askGuarded(guard, context, (attempt) => {
          begun();
          return run(carrier, query, attempt);
        }),
      );
    },
    stats: () =>
      Object.fromEntries([...guards].map(([id, guard]) => [id, figuresOf(guard.stats())])),
    async close() {
      await Promise.all([...guards.values()].map((guard) => guard.close()));
    },
  };
}

/** Parts of a carrier's guard: the circuit and the retry with their defaults, and what the settings have of it. */
function guardOptions(id: string, { rates, hedged }: GuardSettings) {
  const rate = rates[id];
  return {
    classify: verdictOf,
    circuit: {},
    retry: {},
    ...(rate !== undefined && { rate }),
    ...(hedged.includes(id) && { hedge: {} }),
  };
}

/** An answer that ends early, as the failure that ended it: the guard counts it, and the search has its journeys. */
class EndedEarly extends Error {
  readonly code: CarrierFailure['code'];
  readonly retryAfterMs: number | undefined;
  /** Its journeys are there: a further attempt would ask for all of them again. */
  readonly retryable = false;
  constructor({ code, message, retryAfterMs }: CarrierFailure) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Asks by attempts of a guard, and notes them. An answer that ends early is returned if no attempt has a whole one. */
async function askGuarded(
  guard: Guard,
  context: RunContext,
  ask: (attempt: RunContext) => Promise<CarrierAnswer>,
): Promise<CarrierAnswer> {
  const { signal, deadline, note } = context;
  let early: CarrierAnswer | undefined;
  try {
    return await guard.run(
      async (attempt) => {
        note({ attempts: attempt.number, hedged: attempt.kind === 'hedge' });
        const { signal: own, deadline: until } = attempt;
        const answer = await ask({ ...context, signal: own, deadline: until ?? deadline });
        if (answer.failure === undefined) return answer;
        early ??= answer;
        throw new EndedEarly(answer.failure);
      },
      { signal, deadline },
    );
  } catch (error) {
    if (early !== undefined && !signal.aborted) return early;
    throw error;
  }
}

/**
 * Tracks the questions of a search to one carrier. A search of a city asks for several pairs of stations at once, and a pair that is
 * refused ends the others: while a circuit is half open, which lets one through, the search would end its own probe, and the circuit
 * would never close. So a pair that the circuit refuses is asked when another one of its search has ended.
 */
function createQuestions() {
  // The function that notes facts is the same for all pairs of a carrier in a search.
  const asked = new WeakMap<RunContext['note'], Set<Promise<void>>>();
  return {
    async follow(
      { note, signal }: RunContext,
      ask: (begun: () => void) => Promise<CarrierAnswer>,
    ): Promise<CarrierAnswer> {
      const open = asked.get(note) ?? new Set();
      asked.set(note, open);
      for (;;) {
        let ended = (): void => {};
        const end = new Promise<void>((resolve) => {
          ended = resolve;
        });
        try {
          return await ask(() => void open.add(end));
        } catch (error) {
          const isRefused = GuardError.is(error) && error.code === 'ERR_CIRCUIT_OPEN';
          if (!isRefused || open.size === 0 || open.has(end) || signal.aborted) throw error;
        } finally {
          open.delete(end);
          ended();
        }
        await Promise.race(open);
      }
    },
  };
}
