import { type CoalescerStats, createCoalescer } from '@ticketing/batching';

/** How an answer is got. `signal` aborts when the client leaves. */
export type Find<Question, Answer> = (
  question: Question,
  options: { readonly signal: AbortSignal },
) => Promise<Answer>;

/** How the routes ask. */
export interface Finder<Question, Answer> {
  readonly find: Find<Question, Answer>;
  /** Asked against loaded; `undefined` when every question is asked for itself. */
  stats(): CoalescerStats | undefined;
}

/** Asks every question for itself. */
export function direct<Question, Answer>(find: Find<Question, Answer>): Finder<Question, Answer> {
  return { find, stats: () => undefined };
}

/** Makes equal questions in flight one, which goes on until the last of its clients has left. */
export function coalesced<Question, Answer>(
  find: Find<Question, Answer>,
  options: { readonly name: string; readonly key: (question: Question) => string },
): Finder<Question, Answer> {
  const coalescer = createCoalescer<Question, Answer>(
    (question, { signal }) => find(question, { signal }),
    options,
  );
  return {
    find: (question, { signal }) => coalescer.get(question, { signal }),
    stats: () => coalescer.stats(),
  };
}
