import { wire } from './fastify-client.ts';
import { fastifyTests } from './fastify-tests.ts';

wire.protocol = 'HTTP/1.1';
fastifyTests();
