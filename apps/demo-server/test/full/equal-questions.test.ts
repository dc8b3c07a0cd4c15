import { testEqualSearches, testEqualStreams } from '../equal-questions-cases.ts';

testEqualSearches(300);
testEqualStreams(50);
