// Kills servers under load, and reports the cost: `--kills 20 --workers 4 --connections 25`. Exits with 1 if a request that
// was retried is lost, or more fail than were in flight.
import { commandLine, createProgress, flag, integerFrom } from '@ticketing/cli-kit';
import { serversUnderFire } from './servers-under-fire.ts';

const value = integerFrom(1, 1_000_000);
const { kills, workers, connections } = commandLine({
  run: 'stress/fire.ts',
  about: 'Kills servers under load, and tells what it cost.',
  verb: 'stress',
  flags: {
    kills: flag({ name: 'kills', about: 'Workers that are killed', value, fallback: 20 }),
    workers: flag({ name: 'workers', about: 'Workers', value, fallback: 4 }),
    connections: flag({ name: 'connections', about: 'Of each of two loads', value, fallback: 25 }),
  },
});
const progress = createProgress();
progress.begin('kills', kills);
const entry = new URL('../test/fixtures/server.ts', import.meta.url);
const { once, retried, backMs, circuit } = await serversUnderFire({
  entry,
  kills,
  connections,
  workers,
  answers: 1500,
  onKill: progress.step,
});
progress.end();
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
