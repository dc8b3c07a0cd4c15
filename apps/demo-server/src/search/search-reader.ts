import { quickQuestion } from './document-key.ts';
import type { SearchParameters } from './search-parameters.ts';
import { type DocumentQuestion, type ReadContext, readSearchQuestion } from './search-query.ts';
import { type StationTexts, stationsFor } from './station-texts.ts';

/** Makes questions of the parameters of requests. */
export interface SearchReader {
  /** Opens the book of all stations for texts that need it. @throws ProblemError for parameters that are wrong */
  read(parameters: SearchParameters): Promise<DocumentQuestion>;
  /** Reads parameters that nothing has checked, as {@link quickQuestion} does. */
  readQuick(parameters: Readonly<Record<string, unknown>>): DocumentQuestion | undefined;
}

interface ReaderDependencies extends Omit<ReadContext, 'stations' | 'nowMs'> {
  /** Opened at the first text that needs it. */
  stationTexts(): Promise<StationTexts>;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Creates the reader of a process. */
export function createSearchReader(dependencies: ReaderDependencies): SearchReader {
  const { stationTexts, carriers, pageTokens, now } = dependencies;
  return {
    async read(parameters) {
      const stations = await stationsFor(parameters, stationTexts);
      return readSearchQuestion(parameters, { stations, carriers, pageTokens, nowMs: now() });
    },
    readQuick: (parameters) => quickQuestion(parameters, { carriers, pageTokens, nowMs: now() }),
  };
}
