import { testCombinations } from './matrix.ts';

testCombinations('passthru');
