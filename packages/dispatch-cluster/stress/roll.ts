// Restarts workers under load, and reports failed requests: `--answers 50000 --connections 50`. Exits with 1 if one did.
import { commandLine, createProgress, flag, integerFrom } from '@ticketing/cli-kit';
import { rollingRestart } from './rolling-restart.ts';

const value = integerFrom(1, 10_000_000);
const { answers, connections } = commandLine({
  run: 'stress/roll.ts',
  about: 'Restarts workers under load, and tells whether a request failed.',
  verb: 'stress',
  flags: {
    answers: flag({ name: 'answers', about: 'Between two changes', value, fallback: 50_000 }),
    connections: flag({ name: 'connections', about: 'Of the load', value, fallback: 50 }),
  },
});
const entry = new URL('../test/fixtures/server.ts', import.meta.url);
const servers = ['http', 'fastify'] as const;
const progress = createProgress();
progress.begin('servers', servers.length);
for (const server of servers) {
  const { busy, strict, spawned, recycled, requests } = await rollingRestart({
    entry,
    server,
    answers,
    answerMs: 2,
    connections,
  });
  const failures = { ...busy.failures, ...strict.failures };
  const isWell = Object.keys(failures).length === 0;
  const line =
    `${isWell ? 'held' : 'BROKEN'}: ${server}, ${busy.answered + strict.answered} answered (${requests} counted by workers), ` +
    `${spawned} workers, ${recycled} recycled, failed: ${JSON.stringify(failures)}\n`;
  progress.aside(() => process.stdout.write(line));
  progress.step();
  if (!isWell) process.exitCode = 1;
}
progress.end();
