import type { Dispatcher, TaskContext } from '@ticketing/dispatch';
import {
  coalesced,
  direct,
  type Find,
  type Finder,
  type FindOptions,
  type QuestionKind,
} from './search/coalesced.ts';
import { documentQuestion } from './search/documents.ts';
import { wormQuestion } from './worms/worm-answers.ts';

/** Every question that is shared, by the name of the task that answers it in another process. */
export const questions = { document: documentQuestion, worms: wormQuestion };

type Questions = typeof questions;
type Name = keyof Questions;
// biome-ignore lint/suspicious/noExplicitAny: any kind, whatever its sources
type Any = QuestionKind<any, any, any>;
type QuestionOf<N extends Name> = Parameters<Questions[N]['keyOf']>[0];
type AnswerOf<N extends Name> = Awaited<ReturnType<ReturnType<Questions[N]['local']>>>;
type SourcesOf<N extends Name> = Parameters<Questions[N]['local']>[0];

/** What the answers of all questions are made of. */
export type Sources = SourcesOf<'document'> & SourcesOf<'worms'>;
export type Finds = { readonly [N in Name]: Find<QuestionOf<N>, AnswerOf<N>> };
export type Finders = { readonly [N in Name]: Finder<QuestionOf<N>, AnswerOf<N>> };

/** A question, and the milliseconds that are left for its answer. */
export type Timed<Question> = { readonly question: Question; readonly deadlineMs: number };

/** Tasks by which one process asks another. */
export type QuestionTasks = {
  [N in Name]: (input: Timed<QuestionOf<N>>, context: TaskContext) => Promise<AnswerOf<N>>;
};

/** Only reads may run again when their worker is lost. */
export const retryOptions = { idempotent: true, retries: 1 } as const;

/** Milliseconds beyond its deadline that an answer may take between processes. */
const TRANSIT_MS = 500;

/** Answers in this process. */
export function localFinds(sources: Sources): Finds {
  return each(({ local }) => local(sources));
}

/** Has another process answer, with one more attempt after a lost worker. */
export function remoteFinds(dispatcher: Dispatcher<QuestionTasks>): Finds {
  return each((_, name) => (question: never, { signal, deadlineMs }: FindOptions) => {
    const options = { signal, timeoutMs: deadlineMs + TRANSIT_MS, ...retryOptions };
    return dispatcher.run(name, { question, deadlineMs }, options);
  });
}

/** Shares the answers of equal questions in flight, unless each is to be asked for itself. */
export function findersOf(finds: Finds, options: { readonly isShared: boolean }): Finders {
  return each((kind, name) => {
    const find = finds[name] as Find<unknown, unknown>;
    return options.isShared ? coalesced(find, kind) : direct(find);
  });
}

/** Answers the questions of other processes. `finders` is read at each call. */
export function questionTasks(finders: () => Finders): QuestionTasks {
  return each((_, name) => (input: Timed<unknown>, { signal }: TaskContext) => {
    const { find } = finders()[name] as Finder<unknown, unknown>;
    return find(input.question, { signal, deadlineMs: input.deadlineMs });
  });
}

/** The key of the question that a request asks by its target, if it asks one. `nowMs`: epoch ms. */
export function keyOfTarget(target: string, nowMs: number): string | undefined {
  for (const kind of Object.values(questions)) {
    const key = kind.keyOfTarget(target, nowMs);
    if (key !== undefined) return key;
  }
  return undefined;
}

function each<T>(make: (kind: Any, name: Name) => unknown): T {
  const entries = Object.entries(questions).map(([name, kind]) => [name, make(kind, name as Name)]);
  return Object.fromEntries(entries) as T;
}
