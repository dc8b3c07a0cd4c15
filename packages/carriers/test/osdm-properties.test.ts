import { osdmTests } from './osdm-tests.ts';
import { FAST } from './scale.ts';

osdmTests(FAST);
