import { FAST } from './scale.ts';
import { scatterPropertyTests } from './scatter-properties-tests.ts';

scatterPropertyTests(FAST);
