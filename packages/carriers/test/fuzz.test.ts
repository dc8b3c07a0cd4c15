import { fuzzTests } from './fuzz-tests.ts';
import { FAST } from './scale.ts';

fuzzTests(FAST);
