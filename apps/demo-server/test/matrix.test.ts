import { testCombinations } from './matrix.ts';

// The one with the most processes, and searches that are whole tasks; `test/full` has all values of the flags with each other.
testCombinations([
  {
    ...{ accept: 'passthru', dispatch: 'cluster', coalesce: 'machine', offload: 'whole' },
    kills: ['server'],
  },
  {
    ...{ accept: 'single', dispatch: 'fork', coalesce: 'on', offload: 'search' },
    kills: ['task'],
  },
]);
