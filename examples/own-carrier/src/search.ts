// A search over the carrier of one's own and one of the library: neither knows of the other.
import { createAvlo, createCarrierHttp } from '@ticketing/carriers';
import { createSearch, type Search } from '@ticketing/core';
import { createNight } from './night.ts';

export type TrainSearch = Pick<Search, 'search' | 'stream'> & AsyncDisposable;

export function createTrainSearch(urls: {
  readonly night: string;
  readonly avlo: string;
}): TrainSearch {
  // A pool of sockets per carrier: one that hangs takes none from the other.
  const http = createCarrierHttp({ retries: 0 });
  const search = createSearch({
    carriers: [createNight({ baseUrl: urls.night }), createAvlo({ baseUrl: urls.avlo })],
    deadlineMs: 1000,
    http: http.clientOf,
  });
  return {
    search: search.search,
    stream: search.stream,
    async [Symbol.asyncDispose]() {
      await search.close();
      await http.close();
    },
  };
}
