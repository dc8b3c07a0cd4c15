import { createHistogram, type Histogram } from './histogram.ts';

/** What the kernel counts of calls. */
export interface KernelCounts {
  asked: number;
  completed: number;
  failed: number;
  aborted: number;
  rejected: number;
  /** Those of `rejected` that would have waited for too long. */
  refused: number;
  retried: number;
  moved: number;
  readonly wait: Histogram;
  readonly run: Histogram;
  readonly transport: Histogram;
}

/** How a call ended, as the counters have it. */
export type Ending = 'completed' | 'failed' | 'aborted' | 'rejected';

export function createKernelCounts(): KernelCounts {
  return {
    asked: 0,
    completed: 0,
    failed: 0,
    aborted: 0,
    rejected: 0,
    refused: 0,
    retried: 0,
    moved: 0,
    wait: createHistogram(),
    run: createHistogram(),
    transport: createHistogram(),
  };
}
