// The properties in full length: every half hour of the zones, thousands of merges.
import { localClockTests } from '../local-clock-tests.ts';
import { mergePropertyTests } from '../merge-properties-tests.ts';
import { FULL } from '../scale.ts';

localClockTests(FULL);
mergePropertyTests(FULL);
