import type { SearchQuery } from '../contract/search-query.ts';
import type { SearchCallOptions } from './search-options.ts';
import type { SearchResult } from './search-result.ts';

/**
 * Asks several queries under one deadline and one signal, and resolves with their results in order. Nothing is asked if one of the
 * queries is wrong.
 *
 * @throws what `search` rejects with
 */
export type SearchTogether = (
  queries: readonly SearchQuery[],
  options: SearchCallOptions,
) => Promise<readonly SearchResult[]>;
