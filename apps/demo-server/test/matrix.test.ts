import { testCombinations } from './matrix.ts';

// The way of most users, and the one with the most processes; `test/full` has all values of the flags with each other.
testCombinations([
  { accept: 'single', dispatch: 'fork', coalesce: 'on', kills: ['task'] },
  { accept: 'passthru', dispatch: 'cluster', coalesce: 'machine', kills: ['server'] },
]);
