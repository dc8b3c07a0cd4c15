import { testCombinations } from './matrix.ts';

// The one with the most processes; `test/full` has all values of the flags with each other.
testCombinations([
  {
    ...{ accept: 'passthru', dispatch: 'cluster', coalesce: 'machine', offload: 'whole' },
    kills: ['server'],
  },
]);
