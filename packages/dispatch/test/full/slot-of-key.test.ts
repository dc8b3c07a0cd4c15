import { testGrowth, testSpread } from '../slot-of-key-cases.ts';

testSpread([2, 3, 4, 8, 16, 64]);
testGrowth([1, 2, 4, 7, 31]);
