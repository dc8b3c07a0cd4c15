// Opens the table of stations that the tarball holds, with the licences of its data beside it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openStations } from '@ticketing/stations';

const stations = await openStations();
assert.equal(stations.suggest('barclona')[0].id, 'city:es:barcelona');
assert.equal(stations.byCode('ibnr', '8000261').id, 'uic:8020347');
assert.ok(stations.attribution.includes('ODbL'));
for (const file of ['LICENSE', 'LICENSE-DATA', 'NOTICE', 'README.md']) {
  const path = new URL(`./node_modules/@ticketing/stations/${file}`, import.meta.url);
  assert.ok(readFileSync(path, 'utf8').length > 500, file);
}
console.log(`node ${process.version}: ${stations.stations.length} stations`);
