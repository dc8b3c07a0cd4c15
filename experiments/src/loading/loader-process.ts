// Runs the loads that its parent sends, in a process of its own: neither shares the other's event loop.
import { closedLoop } from './closed-loop.ts';
import { constantRate } from './constant-rate.ts';
import type { LoadJob } from './load-job.ts';

process.on('message', async (job: LoadJob) => {
  const { perSecond } = job;
  process.send?.(
    await (perSecond === undefined ? closedLoop(job) : constantRate({ ...job, perSecond })),
  );
});
process.on('disconnect', () => process.exit());
// The parent, which gets a Ctrl-C too, decides.
process.on('SIGINT', () => {});
