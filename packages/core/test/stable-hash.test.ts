import { FAST } from './scale.ts';
import { stableHashTests } from './stable-hash-tests.ts';

stableHashTests(FAST);
