// Kills servers under load, and tells what it cost: `--kills 20 --workers 4 --connections 25`. Exits with 1 if a request that
// was retried is lost, or more fail than were in flight.
import { parseArgs } from 'node:util';
import { serversUnderFire } from './servers-under-fire.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    workers: { type: 'string', default: '4' },
    connections: { type: 'string', default: '25' },
  },
});
const entry = new URL('../test/fixtures/server.ts', import.meta.url);
const kills = Number(values.kills);
const connections = Number(values.connections);
const { once, retried, backMs, circuit } = await serversUnderFire({
  entry,
  kills,
  connections,
  workers: Number(values.workers),
  answers: 1500,
});
const failed = Object.values(once.failures).reduce((total, count) => total + count, 0);
const isWell =
  failed <= kills * connections &&
  Object.keys(retried.failures).length === 0 &&
  circuit === 'closed';
const sorted = backMs.toSorted((a, b) => a - b);
const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
process.stdout.write(
  `${isWell ? 'held' : 'BROKEN'}: ${kills} killed; ${once.answered} answered at once, failed: ${JSON.stringify(once.failures)}; ` +
    `${retried.answered} with retries, lost: ${JSON.stringify(retried.failures)}; ` +
    `back after ${median.toFixed(0)} ms, ${sorted.at(-1)?.toFixed(0)} ms at most\n`,
);
if (!isWell) process.exitCode = 1;
