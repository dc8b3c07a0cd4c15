import { type CoalescerStats, createCoalescer } from '@ticketing/batching';

export interface FindOptions {
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left for the answer, from 1. */
  readonly deadlineMs: number;
}

/** How an answer is got. */
export type Find<Question, Answer> = (question: Question, options: FindOptions) => Promise<Answer>;

/** How the routes ask. */
export interface Finder<Question, Answer> {
  readonly find: Find<Question, Answer>;
  /** Whether a question of this key would join one in flight. */
  has(key: string): boolean;
  /** Asked against loaded; `undefined` when every question is asked for itself. */
  stats(): CoalescerStats | undefined;
}

interface Asked<Question> {
  readonly key: string;
  readonly question: Question;
  readonly deadlineMs: number;
}

/** Asks every question for itself. */
export function direct<Question, Answer>(find: Find<Question, Answer>): Finder<Question, Answer> {
  return { find, has: () => false, stats: () => undefined };
}

/**
 * Makes equal questions in flight one, which goes on until the last of its clients has left, or until the deadline of the first one.
 */
export function coalesced<Question, Answer>(
  find: Find<Question, Answer>,
  options: { readonly name: string; readonly key: (question: Question) => string },
): Finder<Question, Answer> {
  const coalescer = createCoalescer<Asked<Question>, Answer>(
    ({ question, deadlineMs }, { signal }) => find(question, { signal, deadlineMs }),
    { name: options.name, key: ({ key }) => key },
  );
  return {
    find: (question, { signal, deadlineMs }) =>
      coalescer.get({ key: options.key(question), question, deadlineMs }, { signal }),
    has: (key) => coalescer.has({ key } as Asked<Question>),
    stats: () => coalescer.stats(),
  };
}
