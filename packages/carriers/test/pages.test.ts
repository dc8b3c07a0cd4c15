import { pageTests } from './page-tests.ts';
import { FAST } from './scale.ts';

pageTests(FAST);
