import type { journeyDetails } from '../../journey/journey-details.ts';
import type { emptyNote } from '../../results/empty-note.ts';
import type { joinJourneys } from '../../results/join-journeys.ts';
import type { ratesNoteOf } from '../../results/rates-note.ts';
import type { createAroundSearch } from './around-search.ts';
import type { createCountdown } from './countdown.ts';
import type { enhanceSearchForm } from './search-form.ts';

/** Code that a list needs not to be shown: it comes in a bundle of its own. */
export interface Later {
  readonly journeyDetails: typeof journeyDetails;
  readonly emptyNote: typeof emptyNote;
  readonly ratesNoteOf: typeof ratesNoteOf;
  readonly joinJourneys: typeof joinJourneys;
  readonly enhanceSearchForm: typeof enhanceSearchForm;
  readonly createCountdown: typeof createCountdown;
  readonly createAroundSearch: typeof createAroundSearch;
}

/** Loads the rest of the page's script; once, however often it is called. */
export async function later(): Promise<Later> {
  const url = new URL('traveller-later.js', import.meta.url);
  return ((await import(url.href)) as { readonly later: Later }).later;
}
