import type { Coalescer, LoadContext } from '../coalescer/coalescer.ts';
import { createCoalescer } from '../coalescer/create-coalescer.ts';
import type { Answer } from './answer.ts';
import type { ResolvedCoalesceRoutesOptions } from './coalesce-routes-options.ts';

/** One run of a handler, as the request sees it that leads it. */
export interface SharedRun {
  readonly context: LoadContext<string>;
  /** Gives the answer to all that wait. The first one counts. */
  settle(answer: Answer): void;
}

/** What a request got on entering. */
export interface Entry {
  /** Rejects if the client leaves, at the load timeout, above a bound, and after the close. */
  readonly answer: Promise<Answer>;
  /** Present if this request leads: it has to run the handler. */
  readonly sharedRun: SharedRun | undefined;
}

/** The runs of handlers in flight, by key. */
export interface SharedRuns extends Pick<Coalescer<string, Answer>, 'stats' | 'close'> {
  enter(key: string, signal: AbortSignal): Entry;
}

/**
 * Creates the shared runs of a plugin. The loader only notes the run: the handler runs in its own request's
 * async context, and what it returns and throws goes to Fastify as always.
 */
export function createSharedRuns(options: ResolvedCoalesceRoutesOptions['coalescer']): SharedRuns {
  const opened: SharedRun[] = [];
  const coalescer = createCoalescer<string, Answer>(
    (_key, context) =>
      new Promise((settle, reject) => {
        opened.push({ context, settle });
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
      return { answer, sharedRun: opened.pop() };
    },
    stats: () => coalescer.stats(),
    close: () => coalescer.close(),
  };
}
