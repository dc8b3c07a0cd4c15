// A Fastify app that does not listen.
import { attachServer } from '@ticketing/socket-router';
import { fastify } from 'fastify';
import { serve } from './serve.mjs';

await serve(async () => {
  const app = fastify();
  app.get('/hello/:name', async (request) => ({ hello: request.params.name, ip: request.ip }));
  app.post('/size', async (request) => ({ size: request.body.text.length }));
  await app.ready();
  return attachServer(app.server);
});
