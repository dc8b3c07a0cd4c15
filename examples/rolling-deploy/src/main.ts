// The program of the container, its PID 1: one server on every core, and what the orchestrator asks of them.
import http from 'node:http';
import { DispatchError } from '@ticketing/dispatch';
import { clusterMetrics, startCluster } from '@ticketing/dispatch-cluster';
import { AggregatorRegistry } from 'prom-client';

const { WORKERS, LIVE_PORT = '9090', SWEEP_EVERY_MS = '60000' } = process.env;
const log = (event: string, data?: unknown) => console.log(JSON.stringify({ event, data }));

const supervisor = startCluster({
  entry: new URL('./server.js', import.meta.url),
  workers: WORKERS === undefined ? 'auto' : Number(WORKERS),
  signals: true, // SIGTERM and SIGINT end the program with 0, SIGHUP replaces every worker
  shutdown: { lameDuckMs: 2000, graceMs: 8000 }, // the defaults: `docker stop` kills after 10 s
});
supervisor.events.on('worker-ready', ({ slot, pid }) => log('worker-ready', { slot, pid }));
supervisor.events.on('worker-exit', ({ slot, pid }) => log('worker-exit', { slot, pid }));
supervisor.events.on('reload-failed', ({ error }) => log('reload-failed', String(error)));

// One text for Prometheus, over all workers. A reload is no reset: what the old ones counted stays.
const metrics = clusterMetrics(supervisor, { aggregator: AggregatorRegistry });

// Liveness is the primary's: a worker that dies is its business, the orchestrator's only when none can be started.
const live = http.createServer(async (request, response) => {
  if (request.url === '/metrics') {
    response.setHeader('content-type', metrics.contentType);
    response.end(await metrics.text());
    return;
  }
  const { state, workers, requests, dispatcher } = supervisor.stats();
  const ready = workers.filter((worker) => worker.state === 'ready').length;
  const isLive = ready > 0 || dispatcher.circuit === 'closed';
  response.writeHead(isLive ? 200 : 503, { connection: 'close' });
  response.end(JSON.stringify({ state, ready, requests }));
});
live.listen(Number(LIVE_PORT)).unref();

// A job that must run once, not once per worker: the key names a worker, and after a reload its successor.
const jobs = supervisor.dispatcher<typeof import('./tasks.ts')>();
const sweep = async () => {
  const input = { olderThanMs: 86_400_000 };
  const options = { key: 'sweep', timeoutMs: 30_000, idempotent: true, retries: 2 };
  try {
    log('swept', await jobs.run('sweep', input, options));
  } catch (error) {
    const isClosed = DispatchError.is(error) && error.code === 'ERR_CLOSED';
    if (!isClosed) log('sweep-failed', String(error));
  }
};

log('starting');
await supervisor.ready();
log('ready', { http: supervisor.workers[0]?.address, live: live.address() });
setInterval(sweep, Number(SWEEP_EVERY_MS)).unref(); // or it would hold the process
