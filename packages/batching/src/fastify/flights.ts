import type { Coalescer, LoadContext } from '../coalescer.ts';
import { createCoalescer } from '../create-coalescer.ts';
import type { Answer } from './answer.ts';
import type { ResolvedCoalesceRoutesOptions } from './coalesce-routes-options.ts';

/** One run of a handler, as the request sees it that leads it. */
export interface Flight {
  readonly context: LoadContext<string>;
  /** Gives the answer to all that wait. The first one counts. */
  land(answer: Answer): void;
}

/** What a request got on entering. */
export interface Entry {
  /** Rejects if the client leaves, at the load timeout, above a bound, and after the close. */
  readonly answer: Promise<Answer>;
  /** Present if this request leads: it has to run the handler. */
  readonly flight: Flight | undefined;
}

/** The runs of handlers in flight, by key. */
export interface Flights extends Pick<Coalescer<string, Answer>, 'stats' | 'close'> {
  enter(key: string, signal: AbortSignal): Entry;
}

/**
 * Creates the flights of a plugin. The loader only notes the flight: the handler runs in its own request's
 * async context, and what it returns and throws goes to Fastify as always.
 */
export function createFlights(options: ResolvedCoalesceRoutesOptions['coalescer']): Flights {
  const opened: Flight[] = [];
  const coalescer = createCoalescer<string, Answer>(
    (_key, context) =>
      new Promise((land, reject) => {
        opened.push({ context, land });
        // Closing aborts the signal and no more; those that wait must not depend on a handler that heeds it.
        const { signal } = context;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    { ...options, context: 'caller' },
  );
  return {
    enter(key, signal) {
      const answer = coalescer.get(key, { signal });
      // The loader is called inside the call of `get`, or not at all.
      return { answer, flight: opened.pop() };
    },
    stats: () => coalescer.stats(),
    close: () => coalescer.close(),
  };
}
