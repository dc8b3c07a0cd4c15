// Gives a head 200 ms.
import { createServer } from 'node:http';
import { attachWorker } from '@ticketing/socket-router';

const options = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 };
attachWorker(createServer(options, (_, response) => response.end('answer')));
