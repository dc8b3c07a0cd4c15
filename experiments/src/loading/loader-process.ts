// Runs the loads that its parent sends, in a process of its own: neither shares the other's event loop.
import { closedLoop } from './closed-loop.ts';
import type { LoadJob } from './load-job.ts';

process.on('message', async (job: LoadJob) => {
  process.send?.(await closedLoop(job));
});
process.on('disconnect', () => process.exit());
// The parent, which gets a Ctrl-C too, decides.
process.on('SIGINT', () => {});
