import type { Dispatcher, TaskContext, TaskModule } from '@ticketing/dispatch';
import type { CarrierTasks } from './carriers.ts';
import type { DocumentQuestion, FindDocument, SearchDocument } from './documents.ts';

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

/** What a serving process runs for others, besides requests. */
export type ServingTasks = CarrierTasks & DocumentTask & { status(): ProcessStatus };

/** What the primary runs for all serving processes: it passes work on, and has what they share. */
export type PrimaryTasks = CarrierTasks & DocumentTask & { overview(): Promise<ProcessStatus[]> };

export type PrimaryModule = TaskModule<PrimaryTasks>;

/** Searches only read, so they may run again when their worker is lost. */
export const again = { idempotent: true, retries: 1 } as const;

/** Has another process find documents. */
export function documentsBy(dispatcher: Dispatcher<DocumentTask>): FindDocument {
  return (question, { signal }) => dispatcher.run('document', question, { signal, ...again });
}
