// What the traveller's page needs once somebody does more than look at the list.
import { journeyDetails } from '../journey/journey-details.ts';
import { emptyNote } from '../results/empty-note.ts';
import { joinJourneys } from '../results/join-journeys.ts';
import { ratesNoteOf } from '../results/rates-note.ts';
import { createAroundSearch } from './traveller/around-search.ts';
import { createCountdown } from './traveller/countdown.ts';
import type { Later } from './traveller/later.ts';
import { enhanceSearchForm } from './traveller/search-form.ts';

export const later: Later = {
  journeyDetails,
  emptyNote,
  joinJourneys,
  ratesNoteOf,
  enhanceSearchForm,
  createCountdown,
  createAroundSearch,
};
