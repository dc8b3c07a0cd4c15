/** A queue of events that its consumer iterates over. Calls after `end` or `fail` do nothing. */
export interface EventQueue<T> extends AsyncIterableIterator<T> {
  push(event: T): void;
  end(): void;
  /** Ends the iteration with an error, after the events that were pushed before. */
  fail(error: unknown): void;
}

/**
 * Creates an async iterator fed by `push`. Its producer bounds it: it holds what was pushed and not yet read.
 *
 * An async generator does not do: its `return()` waits for the pending `next()`, so a consumer that leaves
 * while nothing happens could not stop the producer.
 *
 * @see docs/discoveries/async-generator-return.md
 *
 * @param onReturn called once when the consumer leaves before the end
 */
export function createEventQueue<T>(onReturn: () => void): EventQueue<T> {
  const events: T[] = [];
  const readers: PromiseWithResolvers<IteratorResult<T>>[] = [];
  let open = true;
  /** Thrown once, after the last event. */
  let failure: { readonly error: unknown } | undefined;

  function close(reason?: { readonly error: unknown }): void {
    if (!open) return;
    open = false;
    failure = reason;
    for (const reader of readers.splice(0)) settle(reader);
  }

  function settle(reader: PromiseWithResolvers<IteratorResult<T>>): void {
    if (events.length > 0) {
      reader.resolve({ done: false, value: events.shift() as T });
    } else if (failure !== undefined) {
      reader.reject(failure.error);
      failure = undefined;
    } else if (open) {
      readers.push(reader);
    } else {
      reader.resolve({ done: true, value: undefined });
    }
  }

  return {
    push(event) {
      if (!open) return;
      events.push(event);
      const reader = readers.shift();
      if (reader) settle(reader);
    },
    end: () => close(),
    fail: (error) => close({ error }),
    next() {
      const reader = deferred<IteratorResult<T>>();
      settle(reader);
      return reader.promise;
    },
    return() {
      const left = open;
      events.length = 0;
      close();
      failure = undefined;
      if (left) onReturn();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

// Promise.withResolvers is not in Node 20.
function deferred<T>(): PromiseWithResolvers<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}
