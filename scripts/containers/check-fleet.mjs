// Starts the services of the demo's compose file in a network of their own, without an engine: those of the demo in containers, with the
// file's commands and variables, NATS and Redis as programs of this machine with its settings. Two servers and two hosts answer
// searches, are healthy, survive the loss of a host, send spans, and end at SIGTERM: `unshare --net check-fleet.mjs <image.json> <major of its Node>`.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoServices, hostsText, mountsOf, readCompose } from './compose-services.mjs';
import { execInRoot, startInRoot } from './root-process.mjs';
import { until, within } from './waits.mjs';

const SEARCH = '/search?origin=Madrid&destination=Barcelona';
const LOOPBACK = '127.0.0.1';
/** Addresses that stand for those that an engine gives the containers of a service. */
const SERVERS = ['127.0.1.1', '127.0.1.2'];

const image = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// The demo's --otel asks for Node 22.15 or later.
const hasTelemetry = Number(process.argv[3]) >= 24;
const compose = readCompose();
const services = demoServices(compose);
const folder = mkdtempSync(join(tmpdir(), 'ticketing-fleet-'));
const hosts = join(folder, 'hosts');
const names = Object.keys(compose.services);
writeFileSync(hosts, hostsText(Object.fromEntries(names.map((name) => [name, LOOPBACK]))));
execFileSync('ip', ['link', 'set', 'lo', 'up']);

const programs = [];
const containers = [];
const spans = createServer((request, response) => {
  request.resume().on('end', () => response.end('{}'));
  if (request.url === '/v1/traces') spans.emit('spans');
});
try {
  spans.listen(Number(compose.services.collector.environment.COLLECTOR_PORT), LOOPBACK);
  const sent = once(spans, 'spans');
  startProgram('nats-server', natsArguments(), compose.services.nats.environment);
  const [, ...redis] = compose.services.valkey.command;
  startProgram('redis-server', redis);
  await Promise.all([4222, 8222, 6379].map(listens));

  const [carriers] = await Promise.all([start('carriers', {}, /^listening/m)]);
  const fleetHosts = await Promise.all([
    start('host', { PORT: '3001', HOST_NAME: 'host-1' }, /^ready/m),
    start('host', { PORT: '3002', HOST_NAME: 'host-2' }, /^ready/m),
  ]);
  const servers = await Promise.all(
    SERVERS.map((HOST) => start('server', { HOST, DEADLINE_MS: '10000' }, /^processes /m)),
  );
  for (const each of [...fleetHosts, ...servers]) assert.equal(healthOf(each), 0, each.name);
  for (const address of SERVERS) await search(address);
  const metrics = await (await fetch(`http://${SERVERS[0]}:3000/metrics`)).text();
  assert.match(metrics, /^ticketing_search_total\{.*\} \d+$/m);

  const [lost, left] = fleetHosts;
  process.kill(lost.pid, 'SIGKILL');
  await lost.ended;
  for (const address of SERVERS) await search(address);
  if (hasTelemetry) await within(sent, 'spans');
  for (const each of [...servers, left, carriers]) {
    process.kill(each.pid, image.stopSignal);
    assert.equal(await within(each.ended, `end of ${each.name}`), 0, each.name);
  }
} catch (error) {
  for (const { name, output } of containers) console.error(`${name}:\n${output()}`);
  throw error;
} finally {
  for (const { destroy, ended } of containers) {
    destroy();
    await ended;
  }
  for (const program of programs) {
    if (program.exitCode !== null || program.signalCode !== null) continue;
    const ended = once(program, 'exit');
    program.kill('SIGTERM');
    await ended;
  }
  spans.closeAllConnections();
  spans.close();
  rmSync(folder, { recursive: true });
}

/** Returns the arguments of the service, with the mounted file by its path here. */
function natsArguments() {
  const mounts = mountsOf(compose.services.nats);
  return compose.services.nats.command.map(
    (word) => mounts.find(({ to }) => to === word)?.from ?? word,
  );
}

function startProgram(name, args, env = {}) {
  const program = spawn(name, args, {
    cwd: folder,
    env: { PATH: `${process.env.PATH}:/usr/sbin`, ...env },
    stdio: 'ignore',
  });
  program.on('error', (error) => {
    throw new Error(`Cannot start ${name}: ${error.message}`);
  });
  programs.push(program);
}

/** Starts a container of a service, with variables that differ here; resolves once it has printed that it runs. */
async function start(name, variables, ready) {
  const { command = image.command, environment = {}, tmpfs } = services[name];
  const { OTEL_EXPORTER_OTLP_ENDPOINT, ...others } = environment;
  const telemetry = hasTelemetry ? { OTEL_EXPORTER_OTLP_ENDPOINT } : {};
  const env = { ...image.env, ...others, ...telemetry, ...variables };
  const started = await startInRoot([...image.entrypoint, ...command], {
    root: image.root,
    folder: image.folder,
    env,
    user: image.user,
    readOnly: services[name].read_only,
    mounts: [...tmpfs.map((path) => ['tmpfs', 'tmpfs', path]), ['read', hosts, '/etc/hosts']],
  });
  containers.push({ name, ...started });
  await within(started.printed(ready), `start of ${name}`);
  return { name, pid: started.pid, ended: started.ended, env };
}

function healthOf({ pid, env }) {
  const { command, timeoutMs } = image.health;
  return execInRoot(pid, command, { env, user: image.user, timeoutMs }).status;
}

async function search(address) {
  const response = await fetch(`http://${address}:3000${SEARCH}`);
  assert.equal(response.status, 200, `a search at ${address}`);
  const { journeys, complete } = await response.json();
  assert.ok(journeys.length > 0, 'a search has journeys');
  assert.equal(complete, true, 'every carrier has answered');
}

/** Resolves once a port on loopback takes connections. */
function listens(port) {
  return until(`program that listens on port ${port}`, async () => {
    const socket = connect(port, LOOPBACK);
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    return isOpen;
  });
}
