// Gives a head 200 ms.
import { attachServer } from '@ticketing/socket-router';
import { serve } from './serve.mjs';

const { createServer } = process.getBuiltinModule('node:http');
const options = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 };
await serve(() => attachServer(createServer(options, (_, response) => response.end('answer'))));
