import { testCutAtStop } from './stopping-cases.ts';

testCutAtStop('single');
