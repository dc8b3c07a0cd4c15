import { createServer } from 'node:http';
import { attachServer } from '@ticketing/socket-router/worker';

attachServer(createServer((_request, response) => response.end(String(process.pid))));
