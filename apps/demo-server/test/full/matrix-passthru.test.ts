import { everyCombination, testCombinations } from '../matrix.ts';

testCombinations(everyCombination('passthru'));
