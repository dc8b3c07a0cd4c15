#!/usr/bin/env node
// Runs a command with a server that speaks MongoDB's protocol; its URL is in TEST_MONGODB_URL: `with-mongodb.mjs <command…>`.
// Needs a JDK and Maven, which downloads the server as its settings say.
import { execFileSync, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readCommand, runCommand } from './shared/beside.mjs';

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
const folder = fileURLToPath(new URL('mongo-test-server/', import.meta.url));
const jars = join(tmpdir(), 'ticketing-mongo-test-server');

const { command } = readCommand('with-mongodb.mjs <command…>', []);
for (const program of ['java', 'mvn']) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
  } catch {
    console.error(`Cannot start MongoDB's protocol: ${program} is not on PATH`);
    process.exit(2);
  }
}

execFileSync(
  'mvn',
  ['-q', '-B', '-f', folder, `${PLUGIN}:copy-dependencies`, `-DoutputDirectory=${jars}`],
  { stdio: 'inherit' },
);
const server = spawn('java', ['-cp', join(jars, '*'), join(folder, 'MongoTestServer.java')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const port = await firstLine(server.stdout);
  process.exitCode = await runCommand(command, {
    TEST_MONGODB_URL: `mongodb://127.0.0.1:${port}`,
  });
} finally {
  server.kill('SIGKILL');
}

async function firstLine(output) {
  for await (const line of createInterface({ input: output })) return line;
  throw new Error("Cannot start MongoDB's protocol: the server ended before it printed its port");
}
