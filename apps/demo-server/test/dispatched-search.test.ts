import { startCarrierSim } from '@ticketing/carrier-sim';
import { stationTable } from '@ticketing/carriers';
import type { Station } from '@ticketing/core';
import { createInProcessDispatcher, type Dispatcher, defineTasks } from '@ticketing/dispatch';
import { expect, onTestFinished, test } from 'vitest';
import {
  type CarrierName,
  type CarrierTasks,
  carrierTasks,
  createCarriers,
} from '../src/carriers/carriers.ts';
import { dispatchedSearch } from '../src/dispatch/dispatched-search.ts';

function stationOf(code: string): Station {
  const match = stationTable.find(code);
  if (match.kind === 'found') return match.station;
  throw new Error(`no station ${code}`);
}

/** Returns the bytes that `--offload normalise` moves, and those that it sends, when a carrier is asked. */
async function movedAndSent(carrier: CarrierName, origin: string, destination: string) {
  const now = Date.now;
  const sim = await startCarrierSim({ plan: { [carrier]: { latency: { kind: 'fixed', ms: 0 } } } });
  const ouigo = { username: 'demo', password: 'demo' };
  const carriers = createCarriers({ carriersUrl: sim.url, ouigo }, now);
  const tasks = createInProcessDispatcher(defineTasks(carrierTasks(carriers)));
  onTestFinished(async () => {
    await tasks.close();
    await carriers.http.close();
    await sim.close();
  });
  let [moved, sent] = [0, 0];
  const dispatcher = {
    ...tasks,
    capabilities: { ...tasks.capabilities, transfer: true },
    run(name: never, input: { wire: unknown }, options: { transfer?: readonly ArrayBuffer[] }) {
      for (const { byteLength } of options.transfer ?? []) moved += byteLength;
      JSON.stringify(input.wire, (_, value) => {
        if (value instanceof Uint8Array) sent += value.byteLength;
        return value instanceof Uint8Array ? undefined : value;
      });
      return tasks.run(name, input as never, {});
    },
  } as unknown as Dispatcher<CarrierTasks>;
  const flags = { carriers: [carrier] as const, deadlineMs: 5000, offload: 'normalise' } as const;
  const search = dispatchedSearch(dispatcher, { flags, carriers, now });
  const date = new Date(now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const query = { origin: stationOf(origin), destination: stationOf(destination), date };
  const { journeys } = await search.search(query);
  expect(journeys.length).toBeGreaterThan(0);
  await search.close();
  return { moved, sent };
}

test.each([
  ['renfe', '7160000', '7171801'],
  ['avlo', '7160000', '7171801'],
  ['ojp', '8503000', '8507000'],
  ['navitia', '8768600', '8503000'],
] as const)(
  '--offload normalise moves every body of %s to a thread, and copies none',
  async (carrier, origin, destination) => {
    const { moved, sent } = await movedAndSent(carrier, origin, destination);
    expect(sent).toBeGreaterThan(1000);
    expect(moved).toBe(sent);
  },
);
