import {
  createAvlo,
  createCarrierHttp,
  createOuigo,
  createRenfe,
  stationTable,
} from '@ticketing/carriers';
import { type Carrier, createSearch, type Search, type StationIndex } from '@ticketing/core';
import { coalescedSearch, type DocumentSearch, directSearch } from './coalesced-search.ts';
import type { CarrierName, Flags } from './flags.ts';

/** What a serving process is made of. */
export interface Parts {
  /** Answers as one document. */
  readonly documents: DocumentSearch;
  /** Answers as events. */
  readonly search: Search;
  readonly stations: StationIndex;
  /** Epoch ms. */
  now(): number;
  /** Where the carriers answer. */
  readonly carriersUrl: string;
  /** Every part's counters. */
  stats(): Record<string, unknown>;
  /** Ends what is in flight, then everything that `compose` started. */
  close(): Promise<void>;
}

interface Given {
  readonly flags: Flags;
  readonly now: () => number;
}

interface Upstream {
  readonly url: string;
  close(): Promise<void>;
}

const carriers: Record<CarrierName, (url: string, given: Given) => Carrier> = {
  renfe: (url) => createRenfe({ baseUrl: `${url}/renfe` }),
  ouigo: (url, { flags, now }) =>
    createOuigo({ baseUrl: `${url}/ouigo`, credentials: flags.ouigo, now }),
  avlo: (url) => createAvlo({ baseUrl: `${url}/avlo` }),
};

/** Makes the parts that the flags ask for. This file alone knows which implementations there are. */
export async function compose(flags: Flags, now: () => number): Promise<Parts> {
  const given = { flags, now };
  const upstream = await startUpstream(given);
  const http = createCarrierHttp({ now });
  const search = createSearch({
    carriers: flags.carriers.map((name) => carriers[name](upstream.url, given)),
    deadlineMs: flags.deadlineMs,
    http: http.clientOf,
    now,
  });
  const documents = flags.coalesce ? coalescedSearch(search) : directSearch(search);
  return {
    documents,
    search,
    stations: stationTable,
    now,
    carriersUrl: upstream.url,
    stats: () => ({ coalesce: documents.stats(), search: search.stats(), http: http.stats() }),
    async close() {
      await search.close();
      await http.close();
      await upstream.close();
    },
  };
}

/** The given URL, or a simulator on a free loopback port that lives as long as the server. */
async function startUpstream({ flags: { carriersUrl, latency }, now }: Given): Promise<Upstream> {
  if (carriersUrl !== undefined) return { url: carriersUrl, close: async () => {} };
  const { startCarrierSim } = await import('@ticketing/carrier-sim');
  return startCarrierSim({
    now,
    plan: { renfe: { latency }, ouigo: { latency }, avlo: { latency } },
  });
}
