import { expect, test } from 'vitest';
import { type Callback, mendedQueue, publishedQueue } from '../04-batching/queue/seed-queue.ts';

/** A query that is answered when told. */
function held() {
  const callbacks: Callback<string>[] = [];
  return {
    callbacks,
    find: (_term: string, callback: Callback<string>) => void callbacks.push(callback),
  };
}

test("the seed's queue as published fails for the second client", () => {
  const { find } = held();
  const queue = publishedQueue(find);
  queue('utilize', () => {});
  expect(() => queue('utilize', () => {})).toThrow(ReferenceError);
});

test("the seed's queue, fixed, answers all who ask by one query", async () => {
  const { find, callbacks } = held();
  const queue = mendedQueue(find);
  const got = ['a', 'b'].map(() => {
    const answer = Promise.withResolvers<string | undefined>();
    queue('__proto__', (_error, found) => answer.resolve(found));
    return answer.promise;
  });
  expect(callbacks.length).toBe(1);
  callbacks[0]?.(undefined, 'worms');
  expect(await Promise.all(got)).toEqual(['worms', 'worms']);
});
