/** A Node callback: an error, or the documents. */
export type Callback<T> = (error: unknown, found?: T) => void;
export type FindByClass<T> = (wormClass: string, callback: Callback<T>) => void;

/**
 * The seed's queue as published: its second line names a variable that does not exist, so the second caller during a query
 * gets a ReferenceError instead of joining the queue.
 */
export function publishedQueue<T>(find: FindByClass<T>): FindByClass<T> {
  const activeQueues: Record<string, Callback<T>[] | null> = {};
  return (term, callback) => {
    // @ts-expect-error: `queues` is what the seed says
    if (activeQueues[term]) return queues[term].push(callback);
    activeQueues[term] = [callback];
    find(term, (error, found) => {
      const queue = activeQueues[term];
      activeQueues[term] = null;
      for (const each of queue ?? []) each(error, found);
    });
  };
}

/**
 * The same with three fixes only: the name; a Map for keys, which stayed for ever and could be `__proto__`; a callback that
 * throws no longer keeps the others from their answer.
 */
export function mendedQueue<T>(find: FindByClass<T>): FindByClass<T> {
  const activeQueues = new Map<string, Callback<T>[]>();
  return (term, callback) => {
    const active = activeQueues.get(term);
    if (active !== undefined) {
      active.push(callback);
      return;
    }
    const queue = [callback];
    activeQueues.set(term, queue);
    find(term, (error, found) => {
      activeQueues.delete(term);
      for (const each of queue) queueMicrotask(() => each(error, found));
    });
  };
}
