import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import readline from 'node:readline';
import { type TestContext, test } from 'node:test';
import { createPriceServer } from '../src/server.ts';
import { createShop } from '../src/shop.ts';

type Handler = http.RequestListener;

async function listen(t: TestContext, server: http.Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts shops as servers of their own, and the price server over them. Returns its address for a product. */
async function start(t: TestContext, handlers: Record<string, Handler>, deadlineMs: number) {
  const shops = Object.entries(handlers).map(async ([id, handler]) =>
    createShop(id, await listen(t, http.createServer(handler))),
  );
  const server = createPriceServer(await Promise.all(shops), { deadlineMs });
  return `${await listen(t, server)}/prices/lamp`;
}

const sells =
  (cents: number): Handler =>
  (_, response) =>
    response.end(JSON.stringify({ cents, currency: 'EUR' }));

interface Status {
  readonly source: string;
  readonly state: string;
  readonly error?: { readonly code: string };
}
const outcomes = (sources: readonly Status[]) =>
  sources.map(({ source, state, error }) => [source, state, error?.code ?? ''].join(' ').trim());

// Promise.withResolvers is not in Node 20.
function deferred<T = void>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Asks for lines; yields each event as it arrives. */
async function* linesOf(request: http.ClientRequest) {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  for await (const line of readline.createInterface({ input: response })) yield JSON.parse(line);
}

const askForLines = (url: string) =>
  http.get(url, { headers: { accept: 'application/x-ndjson' }, agent: false });

test('Prometheus gets how each shop answered', async (t) => {
  const unsold: Handler = (_, response) => response.writeHead(404).end();
  const url = await start(t, { corner: sells(1290), unsold }, 60_000);
  await (await fetch(url)).arrayBuffer();
  const scrape = await fetch(new URL('/metrics', url));
  assert.equal(scrape.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await scrape.text();
  for (const line of [
    'ticketing_scatter_calls_total{name="prices",outcome="complete"} 1',
    'ticketing_source_duration_seconds_count{name="prices",source="corner",state="ok"} 1',
    'ticketing_source_duration_seconds_count{name="prices",source="unsold",state="empty"} 1',
    'ticketing_stream_calls_total{name="prices",outcome="opened"} 0',
  ]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
});

test('prices are sorted, and a shop that does not sell it has answered too', async (t) => {
  const unsold: Handler = (_, response) => response.writeHead(404).end();
  const url = await start(t, { corner: sells(1290), harbour: sells(1150), unsold }, 60_000);
  const { offers, sources, complete } = (await (await fetch(url)).json()) as {
    readonly offers: readonly { readonly shop: string; readonly cents: number }[];
    readonly sources: readonly Status[];
    readonly complete: boolean;
  };
  assert.deepEqual(
    offers.map(({ shop, cents }) => [shop, cents]),
    [
      ['harbour', 1150],
      ['corner', 1290],
    ],
  );
  assert.deepEqual(outcomes(sources), ['corner ok', 'harbour ok', 'unsold empty NOT_SERVED']);
  assert.equal(complete, true);
});

test('at the deadline a shop that hangs is a status, as are shops that fail', async (t) => {
  // The clock is the test's: the deadline comes when all others have answered, on any machine.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const shops = {
    corner: sells(1290),
    broken: (_: unknown, response: http.ServerResponse) => response.writeHead(500).end(),
    busy: (_: unknown, response: http.ServerResponse) => response.writeHead(429).end(),
    garbled: (_: unknown, response: http.ServerResponse) => response.end('{"cents":"12,90"}'),
    hung: () => {},
  };
  const url = await start(t, shops, 800);
  let settled = 0;
  for await (const event of linesOf(askForLines(url))) {
    if (event.type === 'source-answer') assert.equal(event.answer.cents, 1290);
    if (event.type === 'source-status' && ++settled === 4) t.mock.timers.tick(800);
    if (event.type !== 'scatter-done') continue;
    assert.deepEqual(outcomes(event.sources), [
      'corner ok',
      'broken error HTTP',
      'busy rejected-busy OVERLOADED',
      'garbled error PROTOCOL',
      'hung timeout TIMEOUT',
    ]);
    assert.equal(event.complete, false);
  }
  assert.equal(settled, 5);
});

test('a price is on its way to the client while another shop has not answered', async (t) => {
  const { promise: released, resolve: release } = deferred();
  const slow: Handler = async (request, response) => {
    await released;
    sells(990)(request, response as Parameters<Handler>[1]);
  };
  const url = await start(t, { corner: sells(1290), slow }, 60_000);
  const states: string[] = [];
  for await (const event of linesOf(askForLines(url))) {
    states.push(event.type === 'source-answer' ? event.source : event.type);
    if (event.source === 'corner') release();
    if (event.type === 'scatter-done') assert.equal(event.complete, true);
  }
  assert.deepEqual(states, [
    'scatter-started',
    'source-status',
    'corner',
    'source-status',
    'slow',
    'scatter-done',
  ]);
});

test('a client that leaves ends the requests to the shops', async (t) => {
  const { promise: arrived, resolve: asked } = deferred<http.IncomingMessage>();
  const url = await start(t, { hung: (request) => asked(request) }, 60_000);
  const request = askForLines(url);
  request.on('error', () => {});
  const { socket } = await arrived;
  assert.equal(socket.destroyed, false);
  request.destroy();
  // Long before the deadline, and without an answer of the shop.
  await once(socket, 'close');
  assert.equal(socket.bytesWritten, 0);
});

test('clients that follow a product at the same time share one request to each shop', async (t) => {
  const { promise: released, resolve: release } = deferred();
  let asked = 0;
  const slow: Handler = async (request, response) => {
    asked += 1;
    await released;
    sells(990)(request, response as Parameters<Handler>[1]);
  };
  const url = await start(t, { corner: sells(1290), slow }, 60_000);
  const first = linesOf(askForLines(url));
  const begun = [(await first.next()).value, (await first.next()).value];
  // The second client gets what came before it, too.
  const second = linesOf(askForLines(url));
  const late = [(await second.next()).value, (await second.next()).value];
  release();
  for await (const event of first) begun.push(event);
  for await (const event of second) late.push(event);
  assert.deepEqual(late, begun);
  assert.equal(late.at(-1).complete, true);
  assert.equal(asked, 1);
});
