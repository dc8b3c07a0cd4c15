import { readFileSync } from 'node:fs';
import { openStations } from '../src/index.ts';
import { readAsset } from '../src/table/asset.ts';
import { openTable } from '../src/table/station-table.ts';

/** All stations, opened once for all test files of a process. */
export const book = await openStations();

const { head, section } = await readAsset(
  readFileSync(new URL('../data/stations.bin', import.meta.url)),
);
/** The rows behind the book. */
export const table = openTable(head, section);
