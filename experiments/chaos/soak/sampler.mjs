// Preloaded into each process of the demo by `--import`: appends what the process uses to `<CHAOS_SAMPLES>/<pid>.ndjson`. It is no part of the demo.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = process.env['CHAOS_SAMPLES'];
if (folder !== undefined && isMainThread) {
  const role = process.argv[1] ?? 'node';
  const sample = () => {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const open = process.getActiveResourcesInfo();
    const timers = open.filter((name) => name === 'Timeout').length;
    const line = {
      at: Date.now(),
      role,
      // V8 takes its heap in steps of up to 48 MB, when it likes.
      beside: rss - heapTotal,
      heapUsed,
      external,
      timers,
      resources: open.length - timers,
    };
    try {
      appendFileSync(join(folder, `${process.pid}.ndjson`), `${JSON.stringify(line)}\n`);
    } catch {
      // The run has ended, and its folder with it.
    }
  };
  setInterval(sample, 1000).unref();
}
