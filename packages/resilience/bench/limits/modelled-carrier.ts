// The capacity of the carrier simulator in virtual time: a call takes `latency × (1 + slowdown × waiting / concurrent)`.

/** Bound of calls in flight, and the answers that it adapts to. */
export interface Limiter {
  limit(): number;
  began(): void;
  /** Notes an answer. Times in milliseconds. */
  ended(call: { readonly startedAt: number; readonly now: number }): void;
}

/** Calls and carrier of a simulation; functions are of the time in milliseconds. */
export interface ModelledLoad {
  readonly seconds: number;
  readonly perSecond: (now: number) => number;
  readonly latencyMs: (now: number, random: () => number) => number;
  readonly concurrent: number;
  readonly slowdown: number;
  readonly seed: number;
}

/** Answers of a span of time. */
export interface ModelledFigures {
  readonly perSecond: number;
  readonly p99Ms: number;
}

interface Answer {
  readonly at: number;
  readonly ms: number;
}

type Event =
  | { readonly at: number; readonly kind: 'arrival' }
  | { readonly at: number; readonly kind: 'answer'; readonly startedAt: number };

/** Simulates a load, and returns a function that reads a span of it, in seconds. */
export function simulate(
  limiter: Limiter,
  load: ModelledLoad,
): (from: number, to: number) => ModelledFigures {
  const { seconds, perSecond, latencyMs, concurrent, slowdown, seed } = load;
  const random = seededRandom(seed);
  const events = new EventQueue();
  const waiting: number[] = [];
  const answers: Answer[] = [];
  let inFlight = 0;
  let inside = 0;
  const begin = (startedAt: number, now: number): void => {
    inside += 1;
    const factor = 1 + (slowdown * waiting.length) / concurrent;
    events.add({ at: now + latencyMs(now, random) * factor, kind: 'answer', startedAt });
  };
  const arrive = (now: number): void => {
    if (now >= 1000 * seconds) return;
    events.add({ at: now + 1000 / perSecond(now), kind: 'arrival' });
    if (inFlight >= limiter.limit()) return;
    inFlight += 1;
    limiter.began();
    if (inside < concurrent) begin(now, now);
    else waiting.push(now);
  };
  const answer = (startedAt: number, now: number): void => {
    inside -= 1;
    const next = waiting.shift();
    if (next !== undefined) begin(next, now);
    limiter.ended({ startedAt, now });
    inFlight -= 1;
    answers.push({ at: now, ms: now - startedAt });
  };
  events.add({ at: 0, kind: 'arrival' });
  for (let event = events.take(); event !== undefined; event = events.take()) {
    if (event.kind === 'arrival') arrive(event.at);
    else answer(event.startedAt, event.at);
  }
  return (from, to) => {
    const own = answers.filter(({ at }) => at >= 1000 * from && at < 1000 * to);
    const sorted = own.map(({ ms }) => ms).sort((a, b) => a - b);
    return {
      perSecond: own.length / (to - from),
      p99Ms: sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN,
    };
  };
}

/** Events by time; events of one time in the order in which they were added. */
class EventQueue {
  /** The next one last. */
  readonly #events: Event[] = [];

  add(event: Event): void {
    let place = this.#events.length;
    while (place > 0 && (this.#events[place - 1] as Event).at <= event.at) place -= 1;
    this.#events.splice(place, 0, event);
  }

  take(): Event | undefined {
    return this.#events.pop();
  }
}

/** Returns 0 to 1, the same for a seed: a linear congruence, of Numerical Recipes. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Returns a log-normal latency by its median and its 99th percentile. */
export function lognormal(p50Ms: number, p99Ms: number): ModelledLoad['latencyMs'] {
  return (_now, random) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return p50Ms * (p99Ms / p50Ms) ** (normal / 2.3263478740408408);
  };
}
