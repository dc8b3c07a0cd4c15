// A small server whose searches run in one of the ways. `--way`, `--workers`; the carriers by CARRIERS_URL.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { stationTable } from '@ticketing/carriers';
import { addDays, createLocalClock, createSearch, type Station } from '@ticketing/core';
import { carriers, closeCarriers } from './search-task.ts';
import { CARRIERS, type CarrierName, type TaskName, type WayName } from './way.ts';
import { ways } from './ways.ts';

const { values } = parseArgs({
  options: {
    way: { type: 'string', default: 'in-process' },
    workers: { type: 'string', default: '2' },
  },
});
const way = await ways[values.way as WayName](Number(values.workers));
const clock = createLocalClock();
const search = createSearch({
  carriers: CARRIERS.map((name) => carriers[name]),
  deadlineMs: 60_000,
  run: (carrier, query, { deadline }) => {
    const input = { carrier: carrier.id, query, deadline };
    return way.run({ task: 'search', carrier: carrier.id as CarrierName, input }) as never;
  },
});

const routes: Record<string, (parameters: URLSearchParams) => unknown> = {
  '/healthz': () => ({ status: 'alive' }),
  '/search': (parameters) => {
    const origin = stationOf(parameters.get('origin'));
    const destination = stationOf(parameters.get('destination'));
    return search.search({
      origin,
      destination,
      date: addDays(clock.dateOf(Date.now(), origin.zone), 1),
    });
  },
  '/wait': (parameters) => scatter('wait', { ms: Number(parameters.get('ms')) }),
  '/burn': (parameters) => scatter('burn', { steps: Number(parameters.get('steps')) }),
};

/** Runs the same task for every carrier, at once. */
function scatter(task: TaskName, input: unknown): Promise<unknown[]> {
  return Promise.all(CARRIERS.map((carrier) => way.run({ task, carrier, input })));
}

function stationOf(text: string | null): Station {
  const match = stationTable.find(text ?? '');
  if (match.kind === 'found') return match.station;
  throw new Error(`Cannot search: the station must be known, got ${text}`);
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server');
  try {
    const answer = await routes[pathname]?.(searchParams);
    respond(response, answer === undefined ? 404 : 200, answer);
  } catch (error) {
    respond(response, 500, { error: String(error) });
  }
});

function respond(response: ServerResponse, status: number, answer: unknown = {}): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer));
}

server.listen(0, '127.0.0.1', () => {
  console.log(`listening  http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
async function stop(): Promise<void> {
  server.close();
  server.closeAllConnections();
  await search.close();
  await way.close();
  await closeCarriers();
}
let stopping: Promise<void> | undefined;
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => (stopping ??= stop()));
