import type { Journey } from '@ticketing/core';
import { MADRID_BARCELONA, serveDemoBy, sharedServerBy } from './demo.ts';

// Workers have the platform's clock: so have these servers, and no test asks for a day that could begin meanwhile.
export const serveNow = (...argv: string[]) => serveDemoBy(Date.now, ...argv);
const date = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
export const SEARCH = `${MADRID_BARCELONA}&date=${date}`;

/** All but the time at which a carrier's bytes came. */
export function timeless(journeys: readonly Journey[]): readonly Journey[] {
  return JSON.parse(JSON.stringify(journeys), (name, value) =>
    name === 'fetchedAt' ? undefined : value,
  );
}

/** The server that dispatches in this process. */
export const inProcessServer = () => sharedServerBy(Date.now, '--latency', '0');
