import { type Combination, everyCombination, testCombinations } from '../matrix.ts';

/** Searches that are whole tasks, of each kind of worker. */
const wholeSearches = (['fork', 'piscina', 'cluster'] as const).map(
  (dispatch): Combination => ({
    accept: 'single',
    ...{ dispatch, coalesce: 'off', offload: 'search' },
    kills: dispatch === 'piscina' ? [] : ['task'],
  }),
);

const coalesced: Combination = {
  ...{ accept: 'single', dispatch: 'fork', coalesce: 'on', offload: 'search' },
  kills: ['task'],
};

testCombinations([...everyCombination('single'), ...wholeSearches, coalesced]);
