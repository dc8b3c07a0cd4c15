import { expect, test } from 'vitest';
import { SearchStreamEvent } from '../src/http/api/search-schemas.ts';
import { ASKED, hold, MADRID_BARCELONA, serveDemo, setPlan, sharedServer } from './demo.ts';
import { schemaErrors } from './schema-errors.ts';

type Event = {
  type: string;
  status?: { carrier: string; state: string };
  journeys?: { id: string }[];
};

const shared = sharedServer('--latency', '0');

/** Reads a stream's events as they arrive. */
async function* eventsOf(
  url: string,
  accept: string,
  parse: (block: string) => Event,
  separator: string,
) {
  const response = await fetch(url, { headers: { accept } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain(accept);
  let text = '';
  for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk;
    const blocks = text.split(separator);
    text = blocks.pop() ?? '';
    yield* blocks.map(parse);
  }
  expect(text).toBe('');
}

const ndjson = (url: string) =>
  eventsOf(url, 'application/x-ndjson', (line) => JSON.parse(line), '\n');
const sse = (url: string) =>
  eventsOf(
    url,
    'text/event-stream',
    (block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/)));
      const event = JSON.parse(fields['data']);
      expect(fields).toMatchObject({ event: event.type, id: event.type });
      return event;
    },
    '\n\n',
  );

test.each([
  ['NDJSON', ndjson],
  ['SSE', sse],
])('%s: each carrier arrives when it answers, although another hangs', async (_name, read) => {
  const { url, carriersUrl } = await serveDemo(
    ...['--carriers', 'renfe,ouigo,avlo'],
    ...['--deadline-ms', '60000', '--latency', '0'],
  );
  await setPlan(carriersUrl, 'renfe', { fault: { kind: 'hang', share: 1 } });
  // It answers once the journeys of the other one have come.
  const release = await hold(carriersUrl, 'ouigo');
  const seen: string[] = [];
  for await (const event of read(url + MADRID_BARCELONA)) {
    seen.push(event.status ? event.status.carrier : event.type);
    if (event.type !== 'journeys-upsert') continue;
    if (seen.includes('ouigo')) break;
    await release();
  }
  expect(seen).toEqual(['search-started', 'avlo', 'journeys-upsert', 'ouigo', 'journeys-upsert']);
});

test.each([
  ['NDJSON', ndjson],
  ['SSE', sse],
])('%s: the events add up to the document', async (_name, read) => {
  const { url, get } = await serveDemo('--latency', '0');
  const journeys = new Map<string, unknown>();
  const types: string[] = [];
  for await (const event of read(url + MADRID_BARCELONA)) {
    expect(schemaErrors(SearchStreamEvent, event)).toEqual([]);
    types.push(event.type);
    const { removed = [] } = event as { removed?: string[] };
    for (const id of removed) journeys.delete(id);
    for (const journey of event.journeys ?? []) journeys.set(journey.id, journey);
  }
  expect(types[0]).toBe('search-started');
  expect(types.at(-1)).toBe('search-done');
  expect(types.filter((type) => type === 'carrier-status')).toHaveLength(ASKED.length);
  const { body } = await get(MADRID_BARCELONA);
  expect([...journeys.keys()].sort()).toEqual(
    body.journeys.map(({ id }: { id: string }) => id).sort(),
  );
});

test.each(['search-done', 'search-failed'])(
  'SSE: an event source that connects again after %s is stopped by 204',
  async (last) => {
    const { get } = shared();
    const headers = { accept: 'text/event-stream', 'last-event-id': last };
    expect(await get(MADRID_BARCELONA, { headers })).toMatchObject({ status: 204 });
  },
);

test('a stream of a bad query is a problem, not a stream', async () => {
  const { get } = shared();
  const headers = { accept: 'application/x-ndjson' };
  const answer = await get('/search?origin=Madrid&destination=Madrid', { headers });
  expect(answer).toMatchObject({ status: 400, type: 'application/problem+json' });
});

test.each([
  ['*/*', 200, 'application/json'],
  ['text/html;q=0.5, application/json', 200, 'application/json'],
  ['application/json;q=0.5, text/event-stream', 200, 'text/event-stream'],
  ['application/json; charset=utf-8', 200, 'application/json'],
  ['application/json;v=1;q=0.5, text/csv', 200, 'application/json'],
  ['application/x-ndjson; charset=utf-8', 200, 'application/x-ndjson'],
  ['text/event-stream;charset="utf-8,;q=0"', 200, 'text/event-stream'],
  ['application/json;profile="a;q=1";q=0.1, text/event-stream;q=0.2', 200, 'text/event-stream'],
  ['application/json;charset=utf-8;q=0', 406, 'application/problem+json'],
  ['text/csv', 406, 'application/problem+json'],
])('Accept: %s is %i %s', async (accept, status, type) => {
  const { get } = shared();
  expect(await get(MADRID_BARCELONA, { headers: { accept } })).toMatchObject({ status, type });
});

test.each([
  [`${MADRID_BARCELONA}&order=price`, `/?${MADRID_BARCELONA.split('?')[1]}&order=price`],
  ['/search?origin=Madrit', '/?origin=Madrit'],
  ['/search', '/'],
  ['/search?', '/'],
  ['/search?origin=//elsewhere.test/', '/?origin=//elsewhere.test/'],
])('a browser that opens %s is sent to %s', async (path, location) => {
  const { get } = shared();
  for (const accept of ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html']) {
    const { status, headers } = await get(path, { headers: { accept }, redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([303, location]);
    expect(headers.get('vary')).toBe('accept, accept-encoding');
  }
});
