import { mergePropertyTests } from './merge-properties-tests.ts';
import { FAST } from './scale.ts';

mergePropertyTests(FAST);
