#!/usr/bin/env node
// Runs a command with a temporary PostgreSQL server; its URL is in TEST_POSTGRES_URL: `with-postgres.mjs [--must-be-used] <command…>`.
// With the flag it fails if the command did not connect.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { postgresPrograms, startPostgres } from './postgres-server.mjs';

const given = process.argv.slice(2);
const mustBeUsed = given[0] === '--must-be-used';
const [command, ...rest] = mustBeUsed ? given.slice(1) : given;
if (command === undefined) {
  console.error('usage: with-postgres.mjs [--must-be-used] <command…>');
  process.exit(2);
}

const server = await startPostgres();
const child = spawn(command, rest, {
  stdio: 'inherit',
  env: { ...process.env, TEST_POSTGRES_URL: server.url },
});
// The command ends first: it gets the signal from the terminal, or from here.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
try {
  const [code, signal] = await once(child, 'exit');
  process.exitCode = signal ? 1 : code;
  if (code === 0 && mustBeUsed && sessions() === 0) {
    console.error('Cannot accept this run: no test used PostgreSQL');
    process.exitCode = 1;
  }
} finally {
  await server.close();
}

/** Returns the number of connections so far, without the one that asks. */
function sessions() {
  const query = "SELECT sessions - 1 FROM pg_stat_database WHERE datname = 'postgres'";
  return Number(execFileSync(join(postgresPrograms(), 'psql'), [server.url, '-Atc', query]));
}
