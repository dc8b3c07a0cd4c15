import type { Flags } from '../../flags/flag-specs.ts';
import { quickQuestion } from '../document-key.ts';
import {
  type CalendarAsked,
  type CalendarParameters,
  readCalendarQuestion,
} from '../more-days/calendar-question.ts';
import { createPageTokens, newPageKey, type PageTokens } from '../page-tokens.ts';
import type { SearchParameters } from '../search-parameters.ts';
import { type DocumentQuestion, type ReadContext, readSearchQuestion } from '../search-query.ts';
import { createStations, type Stations, type StationTexts, stationsFor } from '../station-texts.ts';

/** Makes questions of the parameters of requests. */
export interface SearchReader {
  /** Opens the book of all stations for texts that need it. @throws ProblemError for parameters that are wrong */
  read(parameters: SearchParameters): Promise<DocumentQuestion>;
  /** Reads the parameters of a calendar. @throws ProblemError for parameters that are wrong */
  readCalendar(parameters: CalendarParameters): Promise<CalendarAsked>;
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
  const { stationTexts, now, ...context } = dependencies;
  return {
    async read(parameters) {
      const stations = await stationsFor(parameters, stationTexts);
      return readSearchQuestion(parameters, { ...context, stations, nowMs: now() });
    },
    async readCalendar(parameters) {
      const stations = await stationsFor(parameters, stationTexts);
      return readCalendarQuestion(parameters, { ...context, stations, nowMs: now() });
    },
    readQuick: (parameters) => quickQuestion(parameters, { ...context, nowMs: now() }),
  };
}

/** Parts that read requests of searches and write their answers. */
interface Reading extends Stations {
  readonly pageTokens: PageTokens;
  readonly reader: SearchReader;
}

/** Creates the reading of a process. `now`: epoch ms. */
export function createReading(
  { pageKey = newPageKey(), carriers, hubs }: Pick<Flags, 'pageKey' | 'carriers' | 'hubs'>,
  now: () => number,
): Reading {
  const stations = createStations();
  const pageTokens = createPageTokens(pageKey);
  const reader = createSearchReader({ ...stations, carriers, hubs, pageTokens, now });
  return { ...stations, pageTokens, reader };
}
