/** A queue of events that its consumer iterates over. Calls after `end` or `fail` do nothing. */
export interface EventQueue<T> extends AsyncIterableIterator<T> {
  push(event: T): void;
  end(): void;
  /** Ends the iteration with an error, after the events that were pushed before. */
  fail(error: unknown): void;
}

type State = { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: unknown };

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
  let state: State = { kind: 'open' };

  function close(next: State): void {
    if (state.kind !== 'open') return;
    state = next;
    for (const reader of readers.splice(0)) settle(reader);
  }

  function settle(reader: PromiseWithResolvers<IteratorResult<T>>): void {
    if (events.length > 0) {
      reader.resolve({ done: false, value: events.shift() as T });
    } else if (state.kind === 'failed') {
      const { error } = state;
      state = { kind: 'ended' };
      reader.reject(error);
    } else if (state.kind === 'ended') {
      reader.resolve({ done: true, value: undefined });
    } else {
      readers.push(reader);
    }
  }

  return {
    push(event) {
      if (state.kind !== 'open') return;
      events.push(event);
      const reader = readers.shift();
      if (reader) settle(reader);
    },
    end: () => close({ kind: 'ended' }),
    fail: (error) => close({ kind: 'failed', error }),
    next() {
      const reader = deferred<IteratorResult<T>>();
      settle(reader);
      return reader.promise;
    },
    return() {
      const left = state.kind === 'open';
      events.length = 0;
      close({ kind: 'ended' });
      state = { kind: 'ended' };
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
