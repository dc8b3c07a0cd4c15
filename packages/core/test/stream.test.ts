import { FAST } from './scale.ts';
import { streamTests } from './stream-tests.ts';

streamTests(FAST);
