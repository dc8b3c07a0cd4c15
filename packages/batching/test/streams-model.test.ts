import { FAST } from './scale.ts';
import { streamsModelTests } from './streams-model-tests.ts';

streamsModelTests(FAST);
