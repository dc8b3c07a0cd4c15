import { documentKey, documentKeyOfTarget } from '../search/document-key.ts';
import type { ReadContext } from '../search/search-query.ts';
import { wormKey, wormKeyOfTarget } from '../worms/worm-answer.ts';
import type { Ask, QuestionName, QuestionOf, Questions } from './answers.ts';

interface Kind<Question> {
  /** Names its coalescer. */
  readonly coalescer: string;
  /** Returns equal keys for equal questions, and never the key of another kind. */
  readonly keyOf: (question: Question) => string;
  /**
   * Returns the same key for a request's target; `undefined` for any other or invalid target, and for one that takes a file to be read. It is
   * called in the router: it takes no time that grows with a power of the target's length, and looks for no near names.
   */
  readonly keyOfTarget: (
    target: string,
    context: Omit<ReadContext, 'stations'>,
  ) => string | undefined;
}

/** Facts of each kind of question. */
export const kinds: { readonly [Name in QuestionName]: Kind<QuestionOf<Name>> } = {
  document: { coalescer: 'search', keyOf: documentKey, keyOfTarget: documentKeyOfTarget },
  worms: { coalescer: 'worms', keyOf: wormKey, keyOfTarget: wormKeyOfTarget },
};

/** Names of the questions. */
export const QUESTION_NAMES = Object.keys(kinds) as readonly QuestionName[];

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
