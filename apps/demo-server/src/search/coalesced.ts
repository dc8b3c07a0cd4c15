import { type CoalescerStats, createCoalescer } from '@ticketing/batching';

export interface FindOptions {
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left for the answer, from 1. */
  readonly deadlineMs: number;
}

/** Gives the answer to a question. */
export type Find<Question, Answer> = (question: Question, options: FindOptions) => Promise<Answer>;

/** A `Find` as the routes use it: with its coalescer, if it has one. */
export interface Finder<Question, Answer> {
  readonly find: Find<Question, Answer>;
  /** Whether a question of this key would join one in flight. */
  has(key: string): boolean;
  /** Asked against loaded; `undefined` when every question is asked for itself. */
  stats(): CoalescerStats | undefined;
}

/** A question of which equal copies in flight can share one answer, in a process or in the primary for all of them. */
export interface QuestionKind<Question, Answer, Sources> {
  /** Names the coalescer. */
  readonly name: string;
  /** Equal for equal questions, and different from the keys of other kinds. */
  readonly keyOf: (question: Question) => string;
  /** The same key, read from a request's target; undefined for any other target, or a wrong one. `nowMs`: epoch ms. */
  readonly keyOfTarget: (target: string, nowMs: number) => string | undefined;
  /** Answers in this process. */
  readonly local: (sources: Sources) => Find<Question, Answer>;
}

interface Keyed<Question> {
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
  { name, keyOf }: Pick<QuestionKind<Question, Answer, never>, 'name' | 'keyOf'>,
): Finder<Question, Answer> {
  const coalescer = createCoalescer<Keyed<Question>, Answer>(
    ({ question, deadlineMs }, { signal }) => find(question, { signal, deadlineMs }),
    { name, key: ({ key }) => key },
  );
  return {
    find: (question, { signal, deadlineMs }) =>
      coalescer.get({ key: keyOf(question), question, deadlineMs }, { signal }),
    has: (key) => coalescer.has({ key } as Keyed<Question>),
    stats: () => coalescer.stats(),
  };
}
