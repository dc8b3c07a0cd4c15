import type { SearchEvent } from '@ticketing/core';
import type { SearchDocument } from '../search/search-document.ts';
import type { DocumentQuestion } from '../search/search-query.ts';
import type { WormAnswer } from '../worms/worm-answer.ts';
import type { AnswersStats } from './answers-stats.ts';

/** Every question that has one answer: a process can give it to another, and equal ones can share it. */
interface Kinds {
  /** A search as one document. */
  readonly document: { readonly question: DocumentQuestion; readonly answer: SearchDocument };
  /** The worms of a class. */
  readonly worms: { readonly question: string; readonly answer: WormAnswer };
}

export type QuestionName = keyof Kinds;
export type QuestionOf<Name extends QuestionName> = Kinds[Name]['question'];
export type AnswerOf<Name extends QuestionName> = Kinds[Name]['answer'];

/** Options of a question. */
export interface AskOptions {
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left for the answer, from 1. */
  readonly deadlineMs: number;
  /** Key of the question, if the caller has it: it is not made again. */
  readonly key?: string | undefined;
}

/** Answers one kind of question. */
export type Ask<Name extends QuestionName> = (
  question: QuestionOf<Name>,
  options: AskOptions,
) => Promise<AnswerOf<Name>>;

/** A method for each kind of question. */
export type Questions = { readonly [Name in QuestionName]: Ask<Name> };

/** Answers every question. Links that each take one and return one make a chain, from the client's process to the search. */
export interface Answers extends Questions {
  /** A search as its events. Leaving them ends it. A wrong question is thrown at once, or by the first `next()`. */
  events(
    question: DocumentQuestion,
    options: Omit<AskOptions, 'signal'>,
  ): AsyncIterableIterator<SearchEvent>;
  /** Whether a question of this key would join one in flight. */
  has(key: string): boolean;
  stats(): AnswersStats;
  /** Closes this link and the ones behind it. */
  close(): Promise<void>;
}
