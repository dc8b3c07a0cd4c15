import { createAvlo, createCarrierHttp, createOuigo, createRenfe } from '@ticketing/carriers';
import type { Carrier, CarrierAnswer, CarrierQuery } from '@ticketing/core';
import type { CarrierName } from './way.ts';

/** A question to one carrier; `deadline` in epoch ms. */
export interface Question {
  readonly carrier: CarrierName;
  readonly query: CarrierQuery;
  readonly deadline: number;
}

const base = process.env['CARRIERS_URL'];
const http = createCarrierHttp({ now: Date.now });

/** Connections to the carriers of `CARRIERS_URL`. */
export const carriers: Readonly<Record<CarrierName, Carrier>> = {
  renfe: createRenfe({ baseUrl: `${base}/renfe` }),
  ouigo: createOuigo({
    baseUrl: `${base}/ouigo`,
    credentials: { username: 'demo', password: 'demo' },
    now: Date.now,
  }),
  avlo: createAvlo({ baseUrl: `${base}/avlo` }),
};

/** Asks a carrier and normalises its answer: mostly waiting. */
export async function search({ carrier: name, query, deadline }: Question): Promise<CarrierAnswer> {
  const carrier = carriers[name];
  const { signal } = new AbortController();
  const wire = await carrier.request(query, { signal, deadline, http: http.clientOf(name) });
  return carrier.normalise(wire, query);
}

/** Ends the connections. */
export function closeCarriers(): Promise<void> {
  return http.close();
}
