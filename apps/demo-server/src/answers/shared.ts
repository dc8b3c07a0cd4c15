import { type CoalescerStats, createCoalescer, type LoadContext } from '@ticketing/batching';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import type { SearchEvent } from '@ticketing/core';
import { type Clock, systemClock } from '@ticketing/kit';
import type { DocumentQuestion } from '../search/search-query.ts';
import type { Answers } from './answers.ts';
import {
  type AnswerOf,
  type Ask,
  eventsKey,
  everyQuestion,
  kinds,
  perCoalescer,
  perKind,
  type QuestionName,
  type QuestionOf,
  type Questions,
} from './kinds.ts';
import { TRANSIT_MS } from './remote-call.ts';

/** A question with its key. */
interface Keyed<Question> {
  readonly key: string;
  readonly question: Question;
  /** Time at which the answer is due, on the clock of this process. */
  readonly deadline: number;
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

interface SharedOptions {
  /** Default: each process loads for itself. */
  readonly share?: ShareLoad | undefined;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

/** Lets equal questions in flight share one answer, and equal events one search: it ends when the last client leaves. */
export function shared(own: Answers, options: SharedOptions = {}): Answers {
  const questions = sharedQuestions(own, options);
  const streams = createStreamCoalescer<
    Omit<Keyed<DocumentQuestion>, 'deadline'> & { readonly deadlineMs: number },
    SearchEvent
  >(({ question, deadlineMs }) => own.events(question, { deadlineMs }), {
    name: 'search-streams',
    key: ({ key }) => key,
    // A search runs in its first client's async context.
    context: 'caller',
    maxKeys: 1000,
    overflow: 'bypass',
  });
  return {
    ...questions,
    events: (question, { deadlineMs, key = kinds.document.keyOf(question) }) =>
      streams.follow({ key: eventsKey(key), question, deadlineMs }),
    has: (key) => questions.has(key) || streams.has({ key } as never),
    stats() {
      const { asked, joined, inFlight, unshared } = streams.stats();
      return { ...questions.stats(), streams: { asked, joined, inFlight: inFlight - unshared } };
    },
  };
}

/** Lets equal questions in flight share one answer; events stay as they are. */
export function sharedQuestions(own: Answers, options: SharedOptions = {}): Answers {
  const coalescers = perKind<{ readonly [Name in QuestionName]: Coalesced<Name> }>((name) =>
    coalesced(own, { ...options, name }),
  );
  return {
    ...own,
    ...everyQuestion((name) => coalescers[name].ask),
    has: (key) => Object.values(coalescers).some((one) => one.has(key)),
    stats() {
      const stats = own.stats();
      const counted = perCoalescer((name) => coalescers[name].stats());
      return { ...stats, ...counted, worms: { ...stats.worms, ...counted.worms } };
    },
  };
}

interface Coalesced<Name extends QuestionName> {
  readonly ask: Ask<Name>;
  has(key: string): boolean;
  stats(): CoalescerStats;
}

/**
 * Lets equal questions of one kind share one answer. The work goes on until the last client has left, or until the deadline of
 * the first. `share` makes one load for several machines: a process that waited for another's has what is left of
 * its own time for a load, and is not kept by one whose deadline is later.
 */
function coalesced<Name extends QuestionName>(
  own: Questions,
  { name, share, clock = systemClock }: SharedOptions & { readonly name: Name },
): Coalesced<Name> {
  const { coalescer: shownName, keyOf } = kinds[name];
  const load: Load<QuestionOf<Name>, AnswerOf<Name>> = (
    { key, question, deadline },
    { signal },
  ) => {
    const deadlineMs = Math.max(1, Math.ceil(deadline - clock.now()));
    return own[name](question, { key, signal, deadlineMs });
  };
  const coalescer = createCoalescer<Keyed<QuestionOf<Name>>, AnswerOf<Name>>(
    share?.(load, shownName) ?? load,
    { name: shownName, key: ({ key }) => key, clock },
  );
  return {
    ask(question, { signal, deadlineMs, key = keyOf(question) }) {
      const deadline = clock.now() + deadlineMs;
      // Here all have the same deadline; another machine may have a later one.
      const timeoutMs = share === undefined ? undefined : deadlineMs + TRANSIT_MS;
      return coalescer.get({ key, question, deadline }, { signal, timeoutMs });
    },
    has: (key) => coalescer.has({ key } as Keyed<QuestionOf<Name>>),
    stats: () => coalescer.stats(),
  };
}
