import { localClockTests } from './local-clock-tests.ts';
import { FAST } from './scale.ts';

localClockTests(FAST);
