/** Returns an iterator that is no generator: leaving it calls `leave` at once, where a generator would end after its next item. */
export function iteratorOf<Item>(
  next: () => Promise<IteratorResult<Item, undefined>>,
  leave: () => unknown,
): AsyncIterableIterator<Item, undefined> {
  return {
    next,
    async return() {
      await leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Returns the items, each as `map` gives it. */
export function mapItems<From, To>(
  items: AsyncIterableIterator<From>,
  map: (item: From) => To,
): AsyncIterableIterator<To, undefined> {
  return iteratorOf(
    async () => {
      const { done, value } = await items.next();
      return done ? { done, value: undefined } : { done: false, value: map(value) };
    },
    () => items.return?.(),
  );
}

/** Resolves with the items once the first one is there, or rejects as it does. */
export async function withFirst<Item>(
  items: AsyncIterableIterator<Item, undefined>,
): Promise<AsyncIterableIterator<Item, undefined>> {
  let first: IteratorResult<Item, undefined> | undefined = await items.next();
  return iteratorOf(
    async () => {
      const next = first ?? items.next();
      first = undefined;
      return next;
    },
    () => items.return?.(),
  );
}
