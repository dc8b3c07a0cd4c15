import type { Dispatcher, TaskContext, TaskModule } from '@ticketing/dispatch';
import type { CarrierTasks } from './carriers.ts';
import type { DocumentQuestion, FindDocument, SearchDocument } from './documents.ts';
import type { FindWorms, WormAnswer } from './worms/worm-answers.ts';

/** What a process tells of itself. */
export interface ProcessStatus {
  readonly pid: number;
  readonly role: 'primary' | 'server' | 'task';
  /** Every part's counters. */
  readonly stats: Readonly<Record<string, unknown>>;
  /** Pids of the processes that run its tasks. */
  readonly taskPids: readonly number[];
}

/** A question, and the milliseconds that are left for its answer. */
export type Timed<Question> = { readonly question: Question; readonly deadlineMs: number };

type DocumentTask = {
  document(input: Timed<DocumentQuestion>, context: TaskContext): Promise<SearchDocument>;
};

type WormTask = {
  worms(input: Timed<string>, context: TaskContext): Promise<WormAnswer>;
};

/** What a serving process runs for others, besides requests. */
export type ServingTasks = CarrierTasks & DocumentTask & WormTask & { status(): ProcessStatus };

/** What the primary runs for all serving processes: it passes work on, and has what they share. */
export type PrimaryTasks = CarrierTasks &
  DocumentTask &
  WormTask & { overview(): Promise<ProcessStatus[]> };

export type PrimaryModule = TaskModule<PrimaryTasks>;

/** What only reads may run again when its worker is lost. */
export const again = { idempotent: true, retries: 1 } as const;

/** What an answer may take on its way between processes, in milliseconds beyond its deadline. */
const WAY_MS = 500;

/** Has another process find documents, an attempt after a worker was lost included. */
export function documentsBy(dispatcher: Dispatcher<DocumentTask>): FindDocument {
  return (question, { signal, deadlineMs }) => {
    const timeoutMs = deadlineMs + WAY_MS;
    return dispatcher.run('document', { question, deadlineMs }, { signal, timeoutMs, ...again });
  };
}

/** Has another process find worms, an attempt after a worker was lost included. */
export function wormsBy(dispatcher: Dispatcher<WormTask>): FindWorms {
  return (question, { signal, deadlineMs }) => {
    const timeoutMs = deadlineMs + WAY_MS;
    return dispatcher.run('worms', { question, deadlineMs }, { signal, timeoutMs, ...again });
  };
}
