import type { DrainReport } from '../contract/dispatcher.ts';
import type { CallOwner } from './call.ts';
import { callError } from './call-errors.ts';
import type { Kernel } from './kernel.ts';

/** The calls that are waited for. */
export interface DrainedCalls {
  /** How many are taken and not settled, and how many were answered so far. */
  counts(): { readonly active: number; readonly answered: number };
  /** Resolves when none is left. */
  idle(): Promise<void>;
  /** Whose they are. Default: all of the kernel's. */
  readonly owner?: CallOwner;
}

/** Waits until every call has settled; what has not at the end of the time is aborted. Nobody may make others. */
export async function drain(
  kernel: Kernel,
  timeoutMs: number | undefined,
  { counts, idle, owner }: DrainedCalls,
): Promise<DrainReport> {
  const { clock, name } = kernel.options;
  const before = counts();
  const timer =
    timeoutMs !== undefined &&
    clock.setTimeout(() => {
      const failure = { name, expected: `an answer within ${timeoutMs} ms of drain`, got: 'none' };
      kernel.giveUpAll(
        (task) => callError('ERR_DRAINING', { ...failure, task, data: { limit: timeoutMs } }),
        'aborted',
        owner,
      );
    }, timeoutMs);
  if (before.active > 0) await idle();
  if (timer !== false) clock.clearTimeout(timer);
  const completed = counts().answered - before.answered;
  return { completed, aborted: before.active - completed };
}
