import { DISPATCHES_WITH_WORKERS, dispatchKind } from '../../src/flags/dispatch-kinds.ts';
import { type Combination, everyCombination, testCombinations } from '../matrix.ts';

/** Searches that are whole tasks, of each kind of worker. */
const wholeSearches = DISPATCHES_WITH_WORKERS.map(
  (dispatch): Combination => ({
    accept: 'single',
    ...{ dispatch, coalesce: 'off', offload: 'search' },
    kills: dispatchKind(dispatch).workers === 'threads' ? [] : ['task'],
  }),
);

const coalesced: Combination = {
  ...{ accept: 'single', dispatch: 'fork', coalesce: 'on', offload: 'search' },
  kills: ['task'],
};

testCombinations([...everyCombination('single'), ...wholeSearches, coalesced]);
