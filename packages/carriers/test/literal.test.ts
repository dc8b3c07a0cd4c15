import { literalTests } from './literal-tests.ts';
import { FAST } from './scale.ts';

literalTests(FAST);
