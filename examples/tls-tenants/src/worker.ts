// One process of tenants. It does not listen: the router hands it the connections of its tenants.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { attachServer } from '@ticketing/socket-router/worker';

const { TLS_CERT = 'cert.pem', TLS_KEY = 'key.pem' } = process.env;
const server = https.createServer(
  { cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) },
  ({ socket }, response) => {
    const { servername } = socket as TLSSocket & { readonly servername: string };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ tenant: servername, pid: process.pid }));
  },
);
attachServer(server);
