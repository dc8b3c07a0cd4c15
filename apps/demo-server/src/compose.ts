import { stationTable } from '@ticketing/carriers';
import { createSearch, type Search, type StationIndex } from '@ticketing/core';
import { createCarriers } from './carriers.ts';
import { coalescedSearch, type DocumentSearch, directSearch } from './coalesced-search.ts';
import { runBy, startDispatcher } from './dispatch.ts';
import type { Flags } from './flags.ts';

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
  /** Pids of the processes that tasks run in, besides this one. */
  processes(): readonly number[];
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

/** Makes the parts that the flags ask for. This file alone knows which implementations there are. */
export async function compose(flags: Flags, now: () => number): Promise<Parts> {
  const given = { flags, now };
  const upstream = await startUpstream(given);
  const settings = { carriersUrl: upstream.url, ouigo: flags.ouigo };
  const carriers = createCarriers(settings, now);
  const { http } = carriers;
  const dispatcher = await startDispatcher({ flags, settings, carriers }).catch(async (error) => {
    await upstream.close();
    throw error;
  });
  const search = createSearch({
    carriers: flags.carriers.map((name) => carriers.byName[name]),
    deadlineMs: flags.deadlineMs,
    http: http.clientOf,
    run: runBy(dispatcher, flags.offload),
    now,
  });
  const documents = flags.coalesce ? coalescedSearch(search) : directSearch(search);
  return {
    documents,
    search,
    stations: stationTable,
    now,
    carriersUrl: upstream.url,
    processes: () =>
      dispatcher
        .stats()
        .workers.flatMap(({ pid }) => (pid === undefined || pid === process.pid ? [] : [pid])),
    stats: () => ({
      coalesce: documents.stats(),
      search: search.stats(),
      dispatch: dispatcher.stats(),
      http: http.stats(),
    }),
    async close() {
      await search.close();
      await dispatcher.close();
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
