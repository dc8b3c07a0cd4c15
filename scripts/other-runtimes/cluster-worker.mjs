import http from 'node:http';
import { clusterWorker } from '@ticketing/dispatch-cluster';

clusterWorker({
  server: http.createServer((_request, response) => response.end(String(process.pid))),
  listen: { port: 0, host: '127.0.0.1' },
});
