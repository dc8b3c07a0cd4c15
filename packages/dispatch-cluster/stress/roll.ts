// Restarts workers under load, and tells whether a request failed: `--answers 50000 --connections 50`. Exits with 1 if one did.
import { parseArgs } from 'node:util';
import { rollingRestart } from './rolling-restart.ts';

const { values } = parseArgs({
  options: {
    answers: { type: 'string', default: '50000' },
    connections: { type: 'string', default: '50' },
  },
});
const entry = new URL('../test/fixtures/server.ts', import.meta.url);
for (const server of ['http', 'fastify'] as const) {
  const { busy, strict, spawned, recycled, requests } = await rollingRestart({
    entry,
    server,
    answers: Number(values.answers),
    answerMs: 2,
    connections: Number(values.connections),
  });
  const failures = { ...busy.failures, ...strict.failures };
  const isWell = Object.keys(failures).length === 0;
  process.stdout.write(
    `${isWell ? 'held' : 'BROKEN'}: ${server}, ${busy.answered + strict.answered} answered (${requests} counted by workers), ` +
      `${spawned} workers, ${recycled} recycled, failed: ${JSON.stringify(failures)}\n`,
  );
  if (!isWell) process.exitCode = 1;
}
