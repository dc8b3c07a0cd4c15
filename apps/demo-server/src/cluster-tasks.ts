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

type DocumentTask = {
  document(question: DocumentQuestion, context: TaskContext): Promise<SearchDocument>;
};

type WormTask = {
  worms(wormClass: string, context: TaskContext): Promise<WormAnswer>;
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

/** Has another process find documents. */
export function documentsBy(dispatcher: Dispatcher<DocumentTask>): FindDocument {
  return (question, { signal }) => dispatcher.run('document', question, { signal, ...again });
}

/** Has another process find worms. `timeoutMs`: an attempt after a worker was lost included. */
export function wormsBy(
  dispatcher: Dispatcher<WormTask>,
  { timeoutMs }: { readonly timeoutMs: number },
): FindWorms {
  return (wormClass, { signal }) =>
    dispatcher.run('worms', wormClass, { signal, timeoutMs, ...again });
}
