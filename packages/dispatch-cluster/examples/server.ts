import http from 'node:http';
import { clusterWorker } from '../src/index.ts';

clusterWorker({
  server: http.createServer((_, response) => response.end(String(process.pid))),
  listen: { port: 0, host: '127.0.0.1' },
});
