import type { DrainReport } from '../contract/dispatcher.ts';
import { callError } from './call-errors.ts';
import type { Kernel } from './kernel.ts';

/** Waits until every call has settled; what has not at the end of the time is aborted. */
export async function drain(
  kernel: Kernel,
  timeoutMs: number | undefined,
  idle: () => Promise<void>,
): Promise<DrainReport> {
  const { clock, name } = kernel.options;
  const { counts, active } = kernel;
  const answered = counts.completed + counts.failed;
  kernel.isDraining = true;
  const timer =
    timeoutMs !== undefined &&
    clock.setTimeout(() => {
      const failure = { name, expected: `an answer within ${timeoutMs} ms of drain`, got: 'none' };
      kernel.giveUpAll(
        (task) => callError('ERR_DRAINING', { ...failure, task, data: { limit: timeoutMs } }),
        'aborted',
      );
    }, timeoutMs);
  if (kernel.active > 0) await idle();
  if (timer !== false) clock.clearTimeout(timer);
  const completed = counts.completed + counts.failed - answered;
  return { completed, aborted: active - completed };
}
