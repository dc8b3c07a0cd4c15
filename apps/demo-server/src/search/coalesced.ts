import { type CoalescerStats, createCoalescer, type LoadContext } from '@ticketing/batching';
import { type Clock, systemClock } from '@ticketing/kit';
import type { CarrierName } from './carriers.ts';
import type { PageTokens } from './query/page-tokens.ts';
import { TRANSIT_MS } from './remote-call.ts';

export interface FindOptions {
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left for the answer, from 1. */
  readonly deadlineMs: number;
}

/** Answers a question. */
export type Find<Question, Answer> = (question: Question, options: FindOptions) => Promise<Answer>;

/** A {@link Find} with the state of its coalescer, if it has one. */
export interface Finder<Question, Answer> {
  readonly find: Find<Question, Answer>;
  /** Whether a question of this key would join one in flight. */
  has(key: string): boolean;
  /** Counters of the coalescer; `undefined` without one. */
  stats(): CoalescerStats | undefined;
}

/** What the target of a request is read with. */
export interface TargetContext {
  /** Epoch ms. */
  readonly nowMs: number;
  /** Those that the server asks. */
  readonly carriers: readonly CarrierName[];
  /** Of the server: what a page contains is read after its proof. */
  readonly pageTokens: Pick<PageTokens, 'open'>;
}

/** A kind of question. Equal questions in flight can share one answer, in each process or in the primary. */
export interface QuestionKind<Question, Answer, Sources> {
  /** Names the coalescer. */
  readonly name: string;
  /** Returns equal keys for equal questions, and never the key of another kind. */
  readonly keyOf: (question: Question) => string;
  /**
   * Returns the same key for a request's target; `undefined` for any other or invalid target, and for one that takes a file to be read. It is
   * called before a request is admitted, and in the router: it takes no time that grows with a power of the target's length, and looks for no
   * near names.
   */
  readonly keyOfTarget: (target: string, context: TargetContext) => string | undefined;
  /** Answers in this process. */
  readonly local: (sources: Sources) => Find<Question, Answer>;
}

/** Loads an answer. Returned by {@link ShareLoad}, it asks other processes for theirs, too. */
export type Load<Question, Answer> = (
  keyed: Keyed<Question>,
  context: LoadContext<Keyed<Question>>,
) => Promise<Answer>;

/** Makes a coalescer's load one for several machines. */
export type ShareLoad = <Question, Answer>(
  load: Load<Question, Answer>,
  name: string,
) => Load<Question, Answer>;

export interface Keyed<Question> {
  readonly key: string;
  readonly question: Question;
  /** When the answer is due, on the clock of this process. */
  readonly deadline: number;
}

/** Shares nothing. */
export function direct<Question, Answer>(find: Find<Question, Answer>): Finder<Question, Answer> {
  return { find, has: () => false, stats: () => undefined };
}

/**
 * Lets equal questions in flight share one answer. The work goes on until the last client has left, or until the deadline of
 * the first. `share` makes one load of those of several machines: a process that waited for another's has what is left of
 * its own time for a load, and is not kept by one whose deadline is later.
 */
export function coalesced<Question, Answer>(
  find: Find<Question, Answer>,
  { name, keyOf }: Pick<QuestionKind<Question, Answer, never>, 'name' | 'keyOf'>,
  options: { readonly share?: ShareLoad | undefined; readonly clock?: Clock } = {},
): Finder<Question, Answer> {
  const { share, clock = systemClock } = options;
  const load: Load<Question, Answer> = ({ question, deadline }, { signal }) =>
    find(question, { signal, deadlineMs: Math.max(1, Math.ceil(deadline - clock.now())) });
  const coalescer = createCoalescer<Keyed<Question>, Answer>(share?.(load, name) ?? load, {
    name,
    key: ({ key }) => key,
    clock,
  });
  return {
    find(question, { signal, deadlineMs }) {
      const keyed = { key: keyOf(question), question, deadline: clock.now() + deadlineMs };
      // Here all have the same deadline; another machine may have a later one.
      const limit = share === undefined ? undefined : deadlineMs + TRANSIT_MS;
      return coalescer.get(keyed, { signal, timeoutMs: limit });
    },
    has: (key) => coalescer.has({ key } as Keyed<Question>),
    stats: () => coalescer.stats(),
  };
}
