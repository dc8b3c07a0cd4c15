import { testCombinations } from './matrix.ts';

testCombinations('cluster');
