import { coalescerModelTests } from './coalescer-model-tests.ts';
import { FAST } from './scale.ts';

coalescerModelTests(FAST);
