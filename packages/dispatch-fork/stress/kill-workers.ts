// Kills workers under load, and tells whether every promise held: `--seconds 60 --workers 3`. Exits with 1 if not.
import { commandLine, createProgress, flag, integerFrom } from '@ticketing/cli-kit';
import { workersUnderFire } from './workers-under-fire.ts';

const value = integerFrom(1, 1_000_000);
const { seconds, workers } = commandLine({
  run: 'stress/kill-workers.ts',
  about: 'Kills workers under load, and tells whether every promise held.',
  verb: 'stress',
  flags: {
    seconds: flag({ name: 'seconds', about: 'Duration', value, fallback: 60 }),
    workers: flag({ name: 'workers', about: 'Workers', value, fallback: 3 }),
  },
});
const progress = createProgress();
progress.begin('seconds under fire', seconds);
const tick = setInterval(() => progress.step(), 1000);
const report = await workersUnderFire({ seconds, workers });
clearInterval(tick);
progress.end();
const { calls, starts, kills, lost, retried, heapGrowthMb, faults } = report;
process.stdout.write(
  `${faults.length === 0 ? 'held' : 'BROKEN'}: ${seconds} s, ${workers} workers, ${kills} killed, ${calls} calls, ${starts} starts, ` +
    `${retried} retried, ${lost} lost, heap ${heapGrowthMb < 0 ? '' : '+'}${heapGrowthMb.toFixed(1)} MB, ${faults.length} faults\n`,
);
for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
