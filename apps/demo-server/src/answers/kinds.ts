import type { Search } from '@ticketing/core';
import { documentKey, documentKeyOfTarget } from '../search/document-key.ts';
import { findDocument } from '../search/search-document.ts';
import type { ReadContext } from '../search/search-query.ts';
import { findWorms, wormKey, wormKeyOfTarget } from '../worms/worm-answer.ts';
import type { WormStore } from '../worms/worm-store.ts';

/** Options of a question. */
export interface AskOptions {
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Milliseconds that are left for the answer, from 1. */
  readonly deadlineMs: number;
  /** Key of the question, if the caller has it: it is not made again. */
  readonly key?: string | undefined;
}

/** Parts of a process that answer questions. */
interface Sources {
  readonly search: Search;
  readonly worms: WormStore;
}

interface Kind<Question, Answer> {
  /** Name of the coalescer. */
  readonly coalescer: string;
  /** True if an answer takes calls to carriers. */
  readonly asksCarriers: boolean;
  /** Returns equal keys for equal questions, and never the key of another kind. */
  readonly keyOf: (question: Question) => string;
  /**
   * Returns the key by which the process of a request's target is chosen; `undefined` for any other or invalid target, and for one that takes a file to be read. It is
   * called in the router: it takes no time that grows with a power of the target's length, and looks for no near names.
   */
  readonly keyOfTarget: (
    target: string,
    context: Omit<ReadContext, 'stations'>,
  ) => string | undefined;
  /** Returns a function that answers in this process. */
  readonly answerBy: (
    sources: Sources,
  ) => (question: Question, options: AskOptions) => Promise<Answer>;
}

/**
 * Every question that has one answer: a process can give it to another, and equal ones can share it. A new one is one more row; its
 * method, its task and its coalescer follow from it.
 */
const rows = {
  /** A search as one document. */
  document: {
    coalescer: 'search',
    asksCarriers: true,
    keyOf: documentKey,
    keyOfTarget: documentKeyOfTarget,
    answerBy: ({ search }) => findDocument(search),
  },
  /** The worms of a class. */
  worms: {
    coalescer: 'worms',
    asksCarriers: false,
    keyOf: wormKey,
    keyOfTarget: wormKeyOfTarget,
    answerBy: ({ worms }) => findWorms(worms),
  },
} satisfies Record<string, Kind<never, unknown>>;

type Rows = typeof rows;
export type QuestionName = keyof Rows;
export type QuestionOf<Name extends QuestionName> = Parameters<Rows[Name]['keyOf']>[0];
export type AnswerOf<Name extends QuestionName> = Awaited<
  ReturnType<ReturnType<Rows[Name]['answerBy']>>
>;

/** Answers one kind of question. */
export type Ask<Name extends QuestionName> = (
  question: QuestionOf<Name>,
  options: AskOptions,
) => Promise<AnswerOf<Name>>;

/** A method for each kind of question. */
export type Questions = { readonly [Name in QuestionName]: Ask<Name> };

/** Facts of each kind of question. */
export const kinds: {
  readonly [Name in QuestionName]: Kind<QuestionOf<Name>, AnswerOf<Name>>;
} = rows;

/** Names of the questions. */
export const QUESTION_NAMES = Object.keys(kinds) as readonly QuestionName[];

/** Questions whose coalescer's counters are under the question's name; the coalescer of documents has its counters beside them. */
type NamedQuestion = Exclude<QuestionName, 'document'>;

/** Something of the coalescer of each kind of question, as counters and their schemas have it. */
type PerCoalescer<T> = { readonly coalesce: T } & {
  readonly [Name in NamedQuestion]: { readonly coalesce: T };
};

/** Such a table that may lack some. */
export type SomeCoalescers<T> = { readonly coalesce?: T | undefined } & {
  readonly [Name in NamedQuestion]: { readonly coalesce?: T | undefined };
};

/** Returns a table with what `make` returns for the coalescer of each kind of question. */
export function perCoalescer<T>(make: (name: QuestionName) => T): PerCoalescer<T> {
  const named = QUESTION_NAMES.filter((name) => name !== 'document');
  return {
    coalesce: make('document'),
    ...Object.fromEntries(named.map((name) => [name, { coalesce: make(name) }])),
  } as PerCoalescer<T>;
}

/** Returns what a table has of a question's coalescer. */
export function ofCoalescer<T>(table: SomeCoalescers<T>, name: QuestionName): T | undefined {
  return name === 'document' ? table.coalesce : table[name].coalesce;
}

/** Returns a table with what `make` returns for each kind of question. */
export function perKind<Table>(make: (name: QuestionName) => unknown): Table {
  return Object.fromEntries(QUESTION_NAMES.map((name) => [name, make(name)])) as Table;
}

/** Returns a method for each kind of question, made by `make`. */
export function everyQuestion(
  make: <Name extends QuestionName>(name: Name) => Ask<Name>,
): Questions {
  return perKind<Questions>(make);
}

/** Returns the key of the events of a document's question: streams join streams alone. */
export function eventsKey(documentKey: string): string {
  return `stream ${documentKey}`;
}
