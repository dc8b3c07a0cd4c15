// Makes the table of its sources: writes data/stations.bin and REPORT.md. `--check` writes nothing, and fails if they differ.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { encode, sortRows, writeAsset } from './encode.ts';
import { merge } from './merge.ts';
import { changes, report } from './report.ts';
import { DB, LIST, readSources } from './sources.ts';
import { readMainStations, readSupplements } from './supplements.ts';

const ASSET = new URL('../data/stations.bin', import.meta.url);
const REPORT = new URL('../REPORT.md', import.meta.url);
const isCheck = process.argv.includes('--check');
const merged = merge({
  ...readSources(),
  supplements: readSupplements(),
  main: readMainStations(),
});
const sorted = sortRows(merged);
const asset = writeAsset(encode(sorted), {
  asOf: LIST.asOf,
  stations: sorted.stations.length,
  withUic: sorted.stations.filter(({ codes }) => codes.has('uic')).length,
  groups: sorted.groups.length,
  sources: [LIST, DB].map(({ name, version, asOf, licence }) => ({ name, version, asOf, licence })),
});
const text = report({ ...merged, ...sorted, bytes: asset.length });

const differ = [
  ...(isEqual(ASSET, asset) ? [] : ['data/stations.bin']),
  ...(isEqual(REPORT, Buffer.from(text)) ? [] : ['REPORT.md']),
];
for (const line of await changes(ASSET, sorted)) process.stdout.write(`${line}\n`);
if (differ.length === 0) process.stdout.write('Stations: as they are\n');
else if (isCheck) {
  process.stderr.write(`Stations: ${differ.join(' and ')} differ from what their sources give\n`);
  process.exitCode = 1;
} else {
  writeFileSync(ASSET, asset);
  writeFileSync(REPORT, text);
  process.stdout.write(`Stations: wrote ${differ.join(' and ')}, ${asset.length} bytes\n`);
}

function isEqual(file: URL, bytes: Buffer): boolean {
  return existsSync(file) && readFileSync(file).equals(bytes);
}
