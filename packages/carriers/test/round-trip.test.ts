import { roundTripTests } from './round-trip-tests.ts';
import { FAST } from './scale.ts';

roundTripTests(FAST);
