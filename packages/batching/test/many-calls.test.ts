import { manyCallsTests } from './many-calls-tests.ts';
import { FAST } from './scale.ts';

manyCallsTests(FAST);
