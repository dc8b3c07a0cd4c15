import { type Admission, createAdmission, createQueueSign } from '@ticketing/admission';
import type { DispatcherStats } from '@ticketing/dispatch';

/** Refuses uploads that could not be answered in ten seconds: as long as images queue for a worker, fewer are read. */
export function createImageAdmission(images: { stats(): DispatcherStats }): Admission {
  const queue = createQueueSign(() => images.stats());
  return createAdmission({ deadlineMs: 10_000, signs: () => ({ queueMs: queue.read() }) });
}
