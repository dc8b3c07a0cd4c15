import { FAST } from './scale.ts';
import { sharedModelTests } from './shared-model-tests.ts';

sharedModelTests(FAST);
