// The router: one port for TLS and for plain HTTP. `TLS_CERT=cert.pem TLS_KEY=key.pem npm start`
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';
import { route } from './tenants.ts';

const router = createSocketRouter({
  workers: forkWorkers(new URL('./worker.js', import.meta.url), 2),
  protocol: 'auto', // the first byte of a connection shows which of the two it is
  route,
  laterRequests: 'connection', // a TLS connection has one name
  health: '/healthz', // plain: a balancer asks without a certificate
  signals: true,
});
await router.ready();
const { port } = await router.listen({ port: Number(process.env['PORT'] ?? 8443) });
console.log(JSON.stringify({ port }));
