import { readFile } from 'node:fs/promises';
import { aFlag, type Rules, resolveByRules, texts } from '@ticketing/kit';
import { createStationBook } from './create-station-book.ts';
import type { StationBook } from './station-book.ts';
import { readAsset } from './table/asset.ts';
import { openTable } from './table/station-table.ts';

export interface OpenStationsOptions {
  /** Only these countries, ISO 3166-1 alpha-2; default: all. A smaller index takes less memory. */
  readonly countries?: readonly string[];
  /** Whether texts are indexed now, some 0.15 s; `false`: at the first `suggest` or `find`. Default: true. */
  readonly index?: boolean;
}

const rules: Rules = {
  countries: texts,
  index: { ...aFlag, fallback: true },
};

/**
 * Opens the table of stations, which is in this package: reads one file, nothing else.
 *
 * @throws TypeError for a wrong option, or a country that the table has no station of
 * @example
 * const stations = await openStations();
 * stations.suggest('barclona')[0]; // { kind: 'city', id: 'city:es:barcelona', … }
 */
export async function openStations(options: OpenStationsOptions = {}): Promise<StationBook> {
  const resolved = resolveByRules<Required<OpenStationsOptions>>('open stations', options, rules);
  const { head, section } = await readAsset(await readFile(ASSET));
  return createStationBook(openTable(head, section), resolved);
}

/** Beside `src` as beside `dist`. */
const ASSET = new URL('../data/stations.bin', import.meta.url);
