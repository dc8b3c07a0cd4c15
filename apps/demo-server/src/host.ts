// A host of a fleet: it runs tasks for servers elsewhere, and serves no searches itself.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitCodeOf, hideSecrets } from '@ticketing/cli-kit';
import { roundedAll } from './figures/rounded.ts';
import { hideNatsSecrets } from './flags/flag-values.ts';
import { readHostFlags } from './flags/host-flags.ts';
import { type Host, startHost } from './fleet/host.ts';
import { startUpstream } from './serving/start-upstream.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import { telemetryOf } from './telemetry/telemetry.ts';
import { fillReport, prepareWorms } from './worms/worm-databases.ts';

/** Milliseconds beyond the deadline within which it must have stopped. */
const STOP_MARGIN_MS = 5000;

const stopping = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stopping.abort());
const closers: (() => unknown)[] = [];
try {
  await run();
} catch (error) {
  await closeAll();
  if (error !== stopping.signal.reason) {
    process.exitCode = exitCodeOf(error) ?? report(error);
  }
}

async function run(): Promise<void> {
  const { flags, name, port } = readHostFlags(process.argv.slice(2), process.env);
  const telemetry = await startTelemetry(telemetryOf(flags, name));
  closers.unshift(telemetry.close);
  const { signal } = stopping;
  const onFilled = fillReport(process.stderr);
  const worms = await prepareWorms(flags, { count: flags.worms, onFilled, signal });
  closers.unshift(worms.close);
  const upstream = await startUpstream(flags, Date.now);
  closers.unshift(() => upstream.close());
  const { location } = worms;
  const carriersUrl = upstream.url;
  const host = await startHost({ flags, name, carriersUrl, worms: location, telemetry });
  closers.unshift(host.close);
  const server = statusServer(host, signal);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  closers.unshift(() => server.close());
  const { port: bound } = server.address() as AddressInfo;
  await Promise.race([host.ready(), stopped()]);
  if (!signal.aborted) {
    console.log(
      [
        `host      ${name} of fleet ${flags.fleet} at ${hideNatsSecrets(flags.natsUrl ?? '')}`,
        `ready     http://127.0.0.1:${bound}/readyz`,
        `carriers  ${hideSecrets(upstream.url)}`,
      ].join('\n'),
    );
    await stopped();
  }
  const timer = setTimeout(() => {
    console.error(
      `Cannot stop: the host did not leave within ${flags.deadlineMs + STOP_MARGIN_MS} ms`,
    );
    process.exit(1);
  }, flags.deadlineMs + STOP_MARGIN_MS);
  await host.drain();
  await closeAll();
  clearTimeout(timer);
}

/** Resolves at SIGTERM or SIGINT. Later ones change nothing. */
async function stopped(): Promise<void> {
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
}

async function closeAll(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** Answers balancers and people on this machine: /healthz, /readyz, /stats. */
function statusServer(host: Host, signal: AbortSignal): Server {
  const answers: Readonly<Record<string, () => readonly [status: number, body: object]>> = {
    '/healthz': () => [200, { status: 'alive' }],
    '/readyz': () => {
      if (signal.aborted) return [503, { status: 'leaving' }];
      return host.isReady() ? [200, { status: 'ready' }] : [503, { status: 'cut off' }];
    },
    '/stats': () => [200, roundedAll(host.stats())],
  };
  return createServer((request, response) => {
    const answer = answers[request.url?.replace(/\?.*$/s, '') ?? ''];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [status, body] = answer === undefined ? [404, {}] : isRead ? answer() : [405, {}];
    response.writeHead(status, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      connection: 'close',
    });
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body));
  });
}

function report(error: unknown): 1 | 2 {
  const isAddress = (error as { readonly syscall?: string }).syscall === 'listen';
  const text = String((error as Error).stack ?? error);
  console.error(
    isAddress ? `Cannot start: ${(error as Error).message}; choose another --port` : text,
  );
  return isAddress ? 2 : 1;
}
