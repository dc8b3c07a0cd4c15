import assert from 'node:assert/strict';
import { startCarrierSim } from '@ticketing/carrier-sim';
import {
  createAvlo,
  createCarrierHttp,
  createOuigo,
  createRenfe,
  stationTable,
} from '@ticketing/carriers';
import { addDays, createLocalClock, createScatter, createSearch } from '@ticketing/core';
import { openStations } from '@ticketing/stations';

export default {
  '@ticketing/core': {
    async 'a source that never answers is left out at the deadline'() {
      const prices = createScatter({
        deadlineMs: 50,
        sources: { quick: async (hotel) => hotel.length, silent: () => new Promise(() => {}) },
      });
      const { answers, sources, complete } = await prices.ask('Ritz');
      assert.deepEqual([answers.quick, sources[1].state, complete], [4, 'timeout', false]);
    },
  },
  '@ticketing/carrier-sim': {
    async 'the simulator answers over HTTP'() {
      const sim = await startCarrierSim({ seed: 1 });
      const response = await fetch(`${sim.url}/renfe`);
      assert.equal(typeof response.status, 'number');
      await response.text();
      await sim.close();
    },
  },
  '@ticketing/carriers': {
    async 'one search asks three carriers of the simulator'() {
      const sim = await startCarrierSim({ seed: 1 });
      const http = createCarrierHttp();
      const credentials = { username: 'a', password: 'b' };
      const search = createSearch({
        carriers: [
          createRenfe({ baseUrl: `${sim.url}/renfe` }),
          createOuigo({ baseUrl: `${sim.url}/ouigo`, credentials }),
          createAvlo({ baseUrl: `${sim.url}/avlo` }),
        ],
        http: http.clientOf,
      });
      const origin = stationTable.byId('uic:7160000');
      const destination = stationTable.byId('uic:7171801');
      const date = addDays(createLocalClock().dateOf(Date.now(), origin.zone), 1);
      const { journeys, carriers, complete } = await search.search({ origin, destination, date });
      await search.close();
      await http.close();
      await sim.close();
      assert.equal(complete, true, JSON.stringify(carriers));
      assert.ok(journeys.length >= 20, `${journeys.length} journeys`);
    },
  },
  '@ticketing/stations': {
    async 'a station is found by its beginning, with an error, and by its code'() {
      const stations = await openStations();
      assert.equal(stations.suggest('barclona')[0].id, 'city:es:barcelona');
      assert.equal(stations.byCode('ibnr', '8000261').id, 'uic:8020347');
    },
  },
};
