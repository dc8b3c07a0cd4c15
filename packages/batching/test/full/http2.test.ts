// The promises of the plugin over HTTP/2 without TLS.
import { fastifyAnswersTests } from '../fastify-answers-tests.ts';
import { wire } from '../fastify-client.ts';
import { fastifyClientsTests } from '../fastify-clients-tests.ts';
import { fastifyTests } from '../fastify-tests.ts';
import { FAST } from '../scale.ts';

wire.protocol = 'h2c';
fastifyTests();
fastifyAnswersTests();
fastifyClientsTests(FAST);
