import { createStationIndex, type StationIndex } from '@ticketing/core';
import { stations } from './stations.ts';

/** Index of the committed table of stations: what adapters and servers look stations up in. */
export const stationTable: StationIndex = /* @__PURE__ */ createStationIndex(stations);
