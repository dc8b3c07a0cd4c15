import { testCombinations } from './matrix.ts';

testCombinations('single');
