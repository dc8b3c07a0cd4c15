import { leakTests } from './leaks-tests.ts';
import { FAST } from './scale.ts';

leakTests(FAST);
