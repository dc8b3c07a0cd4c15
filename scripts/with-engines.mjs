#!/usr/bin/env node
// Runs a command beside servers of its own: nats-server (its URL is in TEST_NATS_URL), and valkey-server or redis-server
// (TEST_REDIS_URL): `with-engines.mjs [--nats] [--redis] [--must-be-used] <command…>`. With the last flag it fails if the
// command connected to none of them. They are looked for in NATS_SERVER_BIN and REDIS_SERVER_BIN, on PATH and in /usr/sbin.
import { onPinnedNode, readCommand, runCommand } from './shared/beside.mjs';

const USAGE = 'with-engines.mjs [--nats] [--redis] [--must-be-used] <command…>';
const { flags, command } = readCommand(USAGE, ['--nats', '--redis', '--must-be-used']);
const names = ['nats', 'redis'].filter((name) => flags.has(`--${name}`));
if (names.length === 0) {
  console.error(`usage: ${USAGE}\nCannot start engines: name at least one, --nats or --redis`);
  process.exit(2);
}
process.exitCode = process.features.typescript ? await main() : await onPinnedNode();

async function main() {
  const { engineUrlVariable, startEngine } = await import('../internal/test-kit/src/engines.ts');
  const servers = [];
  try {
    for (const name of names) servers.push({ name, server: await startEngine(name) });
    const before = await Promise.all(servers.map(({ server }) => server.connections()));
    const code = await runCommand(
      command,
      Object.fromEntries(servers.map(({ name, server }) => [engineUrlVariable(name), server.url])),
    );
    if (code !== 0 || !flags.has('--must-be-used')) return code;
    const after = await Promise.all(servers.map(({ server }) => server.connections()));
    // The connection that asks is one of them.
    const unused = servers.filter((_, index) => after[index] - before[index] < 2);
    for (const { name } of unused) {
      console.error(`Cannot accept this run: no test connected to ${engineUrlVariable(name)}`);
      console.error('Tests that start a server of their own do not count');
    }
    return unused.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(error.message);
    return 2;
  } finally {
    for (const { server } of servers) await server.close();
  }
}
