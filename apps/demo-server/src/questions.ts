import { DispatchError, type Dispatcher, type TaskContext } from '@ticketing/dispatch';
import type { RouteFunction } from '@ticketing/socket-router';
import type { Flags } from './flags/flag-specs.ts';
import {
  coalesced,
  direct,
  type Find,
  type Finder,
  type FindOptions,
  type QuestionKind,
  type ShareLoad,
  type TargetContext,
} from './search/coalesced.ts';
import { documentQuestion } from './search/documents.ts';
import { createPageTokens, newPageKey } from './search/query/page-tokens.ts';
import { retryOptions, TRANSIT_MS } from './search/remote-call.ts';
import { rejectRestored } from './search/restored-error.ts';
import { wormQuestion } from './worms/worm-question.ts';

/** Every question that equal requests share, by the name of the task that answers it in another process. */
const questions = { document: documentQuestion, worms: wormQuestion };

type Questions = typeof questions;
type Name = keyof Questions;
// biome-ignore lint/suspicious/noExplicitAny: any kind, whatever its sources
type Any = QuestionKind<any, any, any>;
type QuestionOf<N extends Name> = Parameters<Questions[N]['keyOf']>[0];
type AnswerOf<N extends Name> = Awaited<ReturnType<ReturnType<Questions[N]['local']>>>;
type TakesSources<N extends Name> = (sources: Parameters<Questions[N]['local']>[0]) => void;

/** What the questions are answered from: the sources of each of them. */
export type Sources = { [N in Name]: TakesSources<N> }[Name] extends (sources: infer All) => void
  ? All
  : never;
export type Finds = { readonly [N in Name]: Find<QuestionOf<N>, AnswerOf<N>> };
export type Finders = { readonly [N in Name]: Finder<QuestionOf<N>, AnswerOf<N>> };

/** A question, and the milliseconds that are left for its answer. */
type Timed<Question> = { readonly question: Question; readonly deadlineMs: number };

/** Tasks by which one process asks another. */
export type QuestionTasks = {
  [N in Name]: (input: Timed<QuestionOf<N>>, context: TaskContext) => Promise<AnswerOf<N>>;
};

/** Names of the tasks. */
export const QUESTION_NAMES = Object.keys(questions) as readonly Name[];

/** Answers in this process. */
export function localFinds(sources: Sources): Finds {
  return each(({ local }) => local(sources));
}

/** Answers in another process, with one retry after a lost worker. */
export function remoteFinds(dispatcher: Dispatcher<QuestionTasks>): Finds {
  return each((_, name) => (question: never, { signal, deadlineMs }: FindOptions) => {
    const options = { signal, timeoutMs: deadlineMs + TRANSIT_MS, ...retryOptions };
    return dispatcher.run(name, { question, deadlineMs }, options).catch(rejectRestored);
  });
}

/**
 * Answers on the host that a key belongs to, whose coalescer all hosts share: `own` answers for keys that belong to this one,
 * without the network, and for those whose owner was lost twice.
 */
export function fleetFinds(
  hosts: Pick<Dispatcher<QuestionTasks>, 'run'>,
  { own, isOwn }: { readonly own: Finders; isOwn(key: string): boolean },
): Finds {
  return each(({ keyOf }, name) => (question: never, options: FindOptions) => {
    const key = keyOf(question);
    const { find } = own[name] as Finder<unknown, unknown>;
    if (isOwn(key)) return find(question, options);
    const { signal, deadlineMs } = options;
    const startedAt = performance.now();
    const call = { key, signal, timeoutMs: deadlineMs + TRANSIT_MS, ...retryOptions };
    return hosts.run(name, { question, deadlineMs }, call).catch((error: unknown) => {
      const leftMs = Math.ceil(deadlineMs - (performance.now() - startedAt));
      if (!isWithoutOwner(error) || leftMs < 1) return rejectRestored(error);
      return find(question, { signal, deadlineMs: leftMs });
    });
  });
}

/** Whether the owner is gone, or is about to be. Questions only read, so they may be asked again. */
function isWithoutOwner(error: unknown): boolean {
  return DispatchError.is(error) && LOST.has(error.code);
}

const LOST: ReadonlySet<string> = new Set([
  ...['ERR_WORKER_LOST', 'ERR_CIRCUIT_OPEN', 'ERR_NO_HOST', 'ERR_CLOSED', 'ERR_DRAINING'],
]);

/** With `isShared`, equal questions in flight share one answer, and with `share` also those of other machines. */
export function createFinders(
  finds: Finds,
  options: { readonly isShared: boolean; readonly share?: ShareLoad | undefined },
): Finders {
  return each((kind, name) => {
    const find = finds[name] as Find<unknown, unknown>;
    return options.isShared ? coalesced(find, kind, { share: options.share }) : direct(find);
  });
}

/** No server waits as long. */
const MAX_DEADLINE_MS = 86_400_000;

/** Returns tasks that answer the questions of other processes. `finders` is called for each question. */
export function questionTasks(finders: () => Finders): QuestionTasks {
  return each((_, name) => (input: Timed<unknown>, { signal }: TaskContext) => {
    const { question, deadlineMs } = input;
    if (!Number.isInteger(deadlineMs) || deadlineMs < 1 || deadlineMs > MAX_DEADLINE_MS) {
      throw new RangeError('`deadlineMs` of a question must be from 1 to a day, in milliseconds');
    }
    const { find } = finders()[name] as Finder<unknown, unknown>;
    return find(question, { signal, deadlineMs });
  });
}

/**
 * Returns what a router chooses a process by: the same process for equal questions, or for equal values of a header. A
 * request without a key goes to the least busy process, and so do TLS connections, whose requests cannot be read.
 */
export function routeFunction({
  routeBy,
  carriers,
  pageKey = newPageKey(),
}: Pick<Flags, 'routeBy' | 'carriers' | 'pageKey'>): RouteFunction | undefined {
  if (routeBy === 'none') return undefined;
  if (routeBy === 'search-key') {
    const pageTokens = createPageTokens(pageKey);
    return ({ target = '' }) =>
      keyed(keyOfTarget(target, { nowMs: Date.now(), carriers, pageTokens }));
  }
  const name = routeBy.slice('header:'.length);
  return ({ header }) => keyed(header?.(name));
}

function keyed(key: string | undefined): { key: string } | undefined {
  return key === undefined || key === '' ? undefined : { key };
}

function keyOfTarget(target: string, context: TargetContext): string | undefined {
  for (const kind of Object.values(questions)) {
    const key = kind.keyOfTarget(target, context);
    if (key !== undefined) return key;
  }
  return undefined;
}

function each<T>(make: (kind: Any, name: Name) => unknown): T {
  const entries = Object.entries(questions).map(([name, kind]) => [name, make(kind, name as Name)]);
  return Object.fromEntries(entries) as T;
}
