import { everyCombination, testCombinations } from '../matrix.ts';

testCombinations(everyCombination('single'));
