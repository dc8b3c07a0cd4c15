// In full length: every half hour of the zones, thousands of merges, 10,000 searches.
import { describe } from 'vitest';
import { leakTests } from '../leaks-tests.ts';
import { localClockTests } from '../local-clock-tests.ts';
import { mergePropertyTests } from '../merge-properties-tests.ts';
import { moneyPropertyTests } from '../money-properties-tests.ts';
import { pageTests } from '../pages-tests.ts';
import { FULL } from '../scale.ts';
import { scatterPropertyTests } from '../scatter-properties-tests.ts';
import { stableHashTests } from '../stable-hash-tests.ts';
import { streamTests } from '../stream-tests.ts';

leakTests(FULL);
localClockTests(FULL);
mergePropertyTests(FULL);
moneyPropertyTests(FULL);
stableHashTests(FULL);
pageTests(FULL);
// By a clock of its own.
describe('stream()', () => streamTests(FULL));
describe('createScatter()', () => scatterPropertyTests(FULL));
