// A server that writes its pid for each request that it has, and answers once the whole body is there.
import { attachServer } from '@ticketing/socket-router';

// Not imported: docs/discoveries/what-an-import-of-node-http-loads.md
const { createServer } = process.getBuiltinModule('node:http');

attachServer(
  createServer((request, response) => {
    process.stdout.write(`got ${process.pid}\n`);
    request.resume().on('end', () => response.end(`served by ${process.pid}`));
  }),
);
