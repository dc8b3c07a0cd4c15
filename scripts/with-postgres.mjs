#!/usr/bin/env node
// Runs a command with a temporary PostgreSQL server; its URL is in TEST_POSTGRES_URL: `with-postgres.mjs [--must-be-used] <command…>`.
// With the flag it fails if the command did not connect.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { postgresPrograms, startPostgres } from './postgres-server.mjs';
import { readCommand, runCommand } from './shared/beside.mjs';

const usage = 'with-postgres.mjs [--must-be-used] <command…>';
const { flags, command } = readCommand(usage, ['--must-be-used']);
const server = await startPostgres();
try {
  process.exitCode = await runCommand(command, { TEST_POSTGRES_URL: server.url });
  if (process.exitCode === 0 && flags.has('--must-be-used') && sessions() === 0) {
    console.error('Cannot accept this run: no test connected to TEST_POSTGRES_URL');
    console.error('Tests that start a server of their own do not count');
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
