import { fastifyAnswersTests } from './fastify-answers-tests.ts';
import { wire } from './fastify-client.ts';

wire.protocol = 'HTTP/1.1';
fastifyAnswersTests();
