// What each worker runs: an ordinary server. It does not know that there are others.
import http from 'node:http';
import { clusterWorker } from '@ticketing/dispatch-cluster';
import { Counter, register } from 'prom-client';
import tasks from './tasks.ts';

const uploads = new Counter({ name: 'uploaded_bytes_total', help: 'Bytes of requests' });

const server = http.createServer((request, response) => {
  if (request.url === '/readyz') {
    // A load balancer that asks this sends no more clients to a worker that is about to end.
    response.writeHead(worker.isDraining() ? 503 : 200).end();
    return;
  }
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('end', () => {
    uploads.inc(bytes);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ slot: worker.slot, pid: process.pid, bytes }));
  });
});
const worker = clusterWorker({
  server,
  listen: { port: Number(process.env['PORT'] ?? 8080) },
  tasks,
  metrics: register,
});
