#!/usr/bin/env node
// Runs a command beside an OpenTelemetry Collector, whose address is in OTEL_EXPORTER_OTLP_ENDPOINT, and prints what the
// collector got to standard error: `with-collector.mjs [--brief] <command…>`. Needs Go, by which it builds the collector
// once, in some minutes.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, readCommand, runCommand } from './shared/beside.mjs';

const VERSION = 'v0.155.0';
const BUILDER = `go.opentelemetry.io/collector/cmd/builder@${VERSION}`;
const settings = fileURLToPath(new URL('otel-collector/', import.meta.url));
const cache = fileURLToPath(
  new URL(`../node_modules/.cache/otel-collector-${VERSION}/`, import.meta.url),
);
const program = join(cache, 'collector');

const { flags, command } = readCommand('with-collector.mjs [--brief] <command…>', ['--brief']);
if (!existsSync(program)) build();

const port = await freePort();
const collector = spawn(program, ['--config', `file:${join(settings, 'collector.yaml')}`], {
  stdio: ['ignore', 'inherit', 'inherit'],
  // Ctrl-C is for the command: what it sends as it ends still arrives.
  detached: true,
  env: {
    ...process.env,
    COLLECTOR_HOST: '127.0.0.1',
    COLLECTOR_PORT: String(port),
    COLLECTOR_VERBOSITY: flags.has('--brief') ? 'normal' : 'detailed',
  },
});
try {
  await untilItListens();
  process.exitCode = await runCommand(command, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  });
} finally {
  if (collector.exitCode === null) {
    const ended = once(collector, 'exit');
    collector.kill('SIGTERM');
    await ended;
  }
}

/** Builds the collector by Go's module proxy. */
function build() {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
  } catch {
    console.error('Cannot build the collector: go is not on PATH');
    process.exit(2);
  }
  console.error(`Builds the OpenTelemetry Collector ${VERSION}, once: this takes some minutes`);
  mkdirSync(cache, { recursive: true });
  const go = (file, ...values) =>
    execFileSync(file, values, {
      cwd: cache,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, GOBIN: cache, GOFLAGS: '-buildvcs=false' },
    });
  go('go', 'install', BUILDER);
  go(join(cache, 'builder'), '--config', join(settings, 'builder.yaml'));
}

async function untilItListens() {
  for (;;) {
    if (collector.exitCode !== null) {
      throw new Error(`Cannot start the collector: it ended with ${collector.exitCode}`);
    }
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
