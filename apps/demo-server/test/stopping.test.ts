import { testCutAtStop, testStoppingShown } from './stopping-cases.ts';

testCutAtStop('single');
testStoppingShown('single');
