import { httpTests } from './http-tests.ts';
import { FAST } from './scale.ts';

httpTests(FAST);
