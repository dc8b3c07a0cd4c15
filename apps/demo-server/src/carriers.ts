import {
  type CarrierHttpPools,
  createAvlo,
  createCarrierHttp,
  createOuigo,
  createRenfe,
} from '@ticketing/carriers';
import type { Carrier, CarrierAnswer, ResolvedQuery } from '@ticketing/core';
import { defineTasks, type TaskContext, type TaskModule } from '@ticketing/dispatch';
import type { CarrierName, Flags } from './flags.ts';

/** What carriers need to be asked, here or in a worker. */
export interface CarrierSettings {
  /** Base URL; each carrier answers below `/<carrier>`. */
  readonly carriersUrl: string;
  readonly ouigo: Flags['ouigo'];
}

/** The carriers, and the connections to them. */
export interface Carriers {
  readonly byName: Readonly<Record<CarrierName, Carrier>>;
  readonly http: CarrierHttpPools;
}

/** Makes every carrier; opens nothing yet. `now`: epoch ms. */
export function createCarriers(
  { carriersUrl, ouigo }: CarrierSettings,
  now: () => number,
): Carriers {
  return {
    byName: {
      renfe: createRenfe({ baseUrl: `${carriersUrl}/renfe` }),
      ouigo: createOuigo({ baseUrl: `${carriersUrl}/ouigo`, credentials: ouigo, now }),
      avlo: createAvlo({ baseUrl: `${carriersUrl}/avlo` }),
    },
    http: createCarrierHttp({ now }),
  };
}

/** A question to one carrier. */
export interface CarrierQuestion {
  readonly carrier: CarrierName;
  readonly query: ResolvedQuery;
  /** Epoch ms. */
  readonly deadline: number;
}

/** One carrier's bytes, to be made journeys of. */
export interface CarrierBytes extends Omit<CarrierQuestion, 'deadline'> {
  readonly wire: unknown;
}

/** What a dispatcher runs: a carrier's whole work, or the half without sockets. A type, since tasks are indexed. */
export type CarrierTasks = {
  search(question: CarrierQuestion, context: TaskContext): Promise<CarrierAnswer>;
  normalise(bytes: CarrierBytes): CarrierAnswer;
};

/** Makes the tasks of these carriers. They close the connections on teardown if these are their own. */
export function carrierTasks(
  { byName, http }: Carriers,
  teardown: () => Promise<void>,
): TaskModule<CarrierTasks> {
  return defineTasks<CarrierTasks>(
    {
      async search({ carrier: name, query, deadline }, { signal }) {
        const carrier = byName[name];
        const wire = await carrier.request(query, { signal, deadline, http: http.clientOf(name) });
        return carrier.normalise(wire, query);
      },
      normalise: ({ carrier, query, wire }) => byName[carrier].normalise(wire, query),
    },
    { teardown },
  );
}
