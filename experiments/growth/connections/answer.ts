import { createServer, type Server } from 'node:http';

/** A small answer. Idle connections stay open. */
export function createAnsweringServer(): Server {
  const server = createServer((_request, response) => response.end('ok'));
  server.keepAliveTimeout = 0;
  return server;
}

/** Processes that answer. */
export const WORKERS = 4;
