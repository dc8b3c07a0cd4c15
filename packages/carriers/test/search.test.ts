import { FAST } from './scale.ts';
import { searchTests } from './search-tests.ts';

searchTests(FAST);
