import { wire } from './fastify-client.ts';
import { fastifyClientsTests } from './fastify-clients-tests.ts';
import { FAST } from './scale.ts';

wire.protocol = 'HTTP/1.1';
fastifyClientsTests(FAST);
