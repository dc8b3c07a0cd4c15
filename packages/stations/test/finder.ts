import { createRowFinder } from '../src/search/find-rows.ts';
import { buildWordIndex } from '../src/search/word-index.ts';
import { table } from './book.ts';

/** What finds rows of the table, made once for all test files of a process: its index takes long. */
export const finder = createRowFinder(
  table,
  buildWordIndex(table, () => true),
);
