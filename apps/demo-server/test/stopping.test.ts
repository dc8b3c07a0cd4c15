import { testCutAtStop, testStoppingShown } from './stopping-cases.ts';

testCutAtStop('single');
testCutAtStop('socket');
testStoppingShown('single');
testStoppingShown('cluster');
