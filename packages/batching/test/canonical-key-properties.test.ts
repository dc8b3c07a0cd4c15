import { canonicalKeyPropertyTests } from './canonical-key-properties-tests.ts';
import { FAST } from './scale.ts';

canonicalKeyPropertyTests(FAST);
