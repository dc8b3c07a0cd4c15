import type { Coalescer, CoalescerOptions, LoadContext } from '../../coalescer/coalescer.ts';
import { createJoinableCoalescer } from '../../coalescer/create-coalescer.ts';
import type { Client } from './client.ts';
import type { Answer } from './shared-answer.ts';

/** A run of a handler, for the request that leads it. */
export interface SharedRun {
  readonly context: LoadContext<string>;
  /** Answers all that wait. The first call of this and `fail` counts. */
  settle(answer: Answer): void;
  /** Fails for all that wait. */
  fail(error: unknown): void;
}

interface Entry {
  /** Rejects if the client leaves, at the load timeout, above a bound, and after the close. */
  readonly answer: Promise<Answer>;
  /** Present if this request leads: it must run the handler. */
  readonly sharedRun: SharedRun | undefined;
}

/** The runs of handlers in flight, by key. */
export interface SharedRuns extends Pick<Coalescer<string, Answer>, 'stats' | 'close'> {
  enter(key: string, client: Client): Entry;
}

/**
 * Creates the shared runs of a route or plugin. The loader only records the run: the handler runs in the async context of its
 * own request, and the framework gets what it returns or throws.
 */
export function createSharedRuns(options: CoalescerOptions<string, Answer>): SharedRuns {
  const opened: SharedRun[] = [];
  const coalescer = createJoinableCoalescer<string, Answer>(
    (_key, context) =>
      new Promise((settle, fail) => {
        opened.push({ context, settle, fail });
        // `close()` aborts only the signal, which a handler may ignore: requests that wait must be rejected here.
        const { signal } = context;
        signal.addEventListener('abort', () => fail(signal.reason), { once: true });
      }),
    { ...options, context: 'caller' },
  );
  return {
    enter(key, client) {
      if (client.hasLeft)
        return { answer: coalescer.get(key, { signal: client.signal }), sharedRun: undefined };
      try {
        const call = coalescer.join(key);
        client.waitBy(call);
        // The loader is called inside the call of `join`, or not at all.
        return { answer: call.promise, sharedRun: opened.pop() };
      } catch (error) {
        return { answer: Promise.reject(error), sharedRun: undefined };
      }
    },
    stats: () => coalescer.stats(),
    close: () => coalescer.close(),
  };
}
