import type { TaskModule } from '@ticketing/dispatch';
import type { QuestionTasks } from '../questions.ts';
import type { CarrierTasks } from '../search/carriers.ts';

/** What a process tells of itself. */
export interface ProcessStatus {
  readonly pid: number;
  readonly role: 'primary' | 'server' | 'task';
  /** Every part's counters. */
  readonly stats: Readonly<Record<string, unknown>>;
  /** Pids of the processes that run its tasks. */
  readonly taskPids: readonly number[];
}

/** What a server process runs for others, besides requests. */
export type ServingTasks = CarrierTasks & QuestionTasks & { status(): ProcessStatus };

/** What the primary runs for all server processes: it passes work on, and has what they share. */
export type PrimaryTasks = CarrierTasks & QuestionTasks & { overview(): Promise<ProcessStatus[]> };

export type PrimaryModule = TaskModule<PrimaryTasks>;
