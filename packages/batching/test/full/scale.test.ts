// The tests of random cases and of many calls, with many times what the fast loop tries.
import { canonicalKeyPropertyTests } from '../canonical-key-properties-tests.ts';
import { coalescerModelTests } from '../coalescer-model-tests.ts';
import { dataloaderPropertyTests } from '../dataloader-properties-tests.ts';
import { wire } from '../fastify-client.ts';
import { fastifyClientsTests } from '../fastify-clients-tests.ts';
import { manyCallsTests } from '../many-calls-tests.ts';
import { FULL } from '../scale.ts';
import { sharedModelTests } from '../shared-model-tests.ts';

wire.protocol = 'HTTP/1.1';
fastifyClientsTests(FULL);
manyCallsTests(FULL);
coalescerModelTests(FULL);
sharedModelTests(FULL);
canonicalKeyPropertyTests(FULL);
dataloaderPropertyTests(FULL);
