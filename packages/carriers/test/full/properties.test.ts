// The properties in full length: thousands of edited answers, 1,000 searches.
import { fuzzTests } from '../fuzz-tests.ts';
import { FULL } from '../scale.ts';
import { searchTests } from '../search-tests.ts';

fuzzTests(FULL);
searchTests(FULL);
