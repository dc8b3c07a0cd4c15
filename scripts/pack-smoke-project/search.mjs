// A user's module: one search over the simulator, with only the published packages.
import assert from 'node:assert/strict';
import { coalesce } from '@ticketing/batching';
import { startCarrierSim } from '@ticketing/carrier-sim';
import {
  createAvlo,
  createCarrierHttp,
  createOuigo,
  createRenfe,
  stationTable,
} from '@ticketing/carriers';
import { addDays, createLocalClock, createSearch } from '@ticketing/core';

const sim = await startCarrierSim({ seed: 1 });
const http = createCarrierHttp();
const search = createSearch({
  carriers: [
    createRenfe({ baseUrl: `${sim.url}/renfe` }),
    createOuigo({ baseUrl: `${sim.url}/ouigo`, credentials: { username: 'a', password: 'b' } }),
    createAvlo({ baseUrl: `${sim.url}/avlo` }),
  ],
  http: http.clientOf,
});
const origin = stationTable.byId('uic:7160000');
const destination = stationTable.byId('uic:7171801');
const date = addDays(createLocalClock().dateOf(Date.now(), origin.zone), 1);
const find = coalesce((day) => search.search({ origin, destination, date: day }), { name: 'find' });
const [{ journeys, carriers, complete }] = await Promise.all([find(date), find(date)]);
assert.equal(find.stats().loaded, 1);
assert.equal(complete, true, JSON.stringify(carriers));
assert.ok(journeys.length >= 20, `${journeys.length} journeys`);
assert.deepEqual(
  new Set(journeys.flatMap(({ sources }) => sources)),
  new Set(['renfe', 'ouigo', 'avlo']),
);
await search.close();
await http.close();
await sim.close();
console.log(
  `node ${process.version}: import, ${journeys.length} journeys of ${carriers.length} carriers`,
);
