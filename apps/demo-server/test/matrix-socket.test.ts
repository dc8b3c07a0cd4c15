import { testCombinations } from './matrix.ts';

testCombinations('socket');
