// Kills workers under load, and tells whether every promise held: `--seconds 60 --workers 3`. Exits with 1 if not.
import { parseArgs } from 'node:util';
import { workersUnderFire } from './workers-under-fire.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    workers: { type: 'string', default: '3' },
  },
});
const { seconds, workers } = values;
const report = await workersUnderFire({ seconds: Number(seconds), workers: Number(workers) });
const { calls, starts, kills, lost, retried, heapGrowthMb, faults } = report;
process.stdout.write(
  `${faults.length === 0 ? 'held' : 'BROKEN'}: ${seconds} s, ${workers} workers, ${kills} killed, ${calls} calls, ${starts} starts, ` +
    `${retried} retried, ${lost} lost, heap ${heapGrowthMb < 0 ? '' : '+'}${heapGrowthMb.toFixed(1)} MB, ${faults.length} faults\n`,
);
for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
