// The properties in full length: thousands of edited answers, 1,000 searches and requests.
import { fuzzTests } from '../fuzz-tests.ts';
import { hafasTests } from '../hafas-tests.ts';
import { httpTests } from '../http-tests.ts';
import { literalTests } from '../literal-tests.ts';
import { ojpPropertyTests } from '../ojp/ojp-property-tests.ts';
import { osdmTests } from '../osdm-tests.ts';
import { roundTripTests } from '../round-trip-tests.ts';
import { FULL } from '../scale.ts';
import { searchTests } from '../search-tests.ts';

fuzzTests(FULL);
hafasTests(FULL);
httpTests(FULL);
literalTests(FULL);
osdmTests(FULL);
ojpPropertyTests(FULL);
roundTripTests(FULL);
searchTests(FULL);
