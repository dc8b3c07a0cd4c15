// The promises of the plugin over HTTP/2 with TLS.
import { wire } from '../fastify-client.ts';

wire.protocol = 'h2';
await import('../fastify.test.ts');
await import('../fastify-answers.test.ts');
await import('../fastify-clients.test.ts');
