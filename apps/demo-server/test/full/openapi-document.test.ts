import Schema from 'typebox/schema';
import { beforeAll, expect, test } from 'vitest';
import { apiOperations } from '../api-operations.ts';
import { ASKED, serveDemo, setPlan, sharedServer } from '../demo.ts';

type Media = {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, Media>> }
    >
  >;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly tags: readonly { readonly name: string }[];
};

const server = sharedServer('--latency', '0', '--worms', '50');
let document: Document;
beforeAll(async () => {
  document = (await server().get('/openapi.json')).body;
});

function operationsOf({ paths }: Document): (Operation & { readonly name: string })[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => ({ ...one, name: `${method} ${path}` })),
  );
}

/** What is wrong with a value, by a schema of the document. */
function errorsOf({ components }: Document, schema: object, value: unknown): unknown[] {
  const [isValid, errors] = Schema.Errors({ ...schema, components }, value);
  return isValid ? [] : errors;
}

test('every reference of /openapi.json leads to a component', () => {
  const names = Object.keys(document.components.schemas);
  expect(names).toEqual(
    expect.arrayContaining([
      'Journey',
      'Problem',
      'SearchAnswer',
      'Stats',
      'Config',
      'OperatorView',
    ]),
  );
  const text = JSON.stringify(document);
  const used = new Set(
    [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name),
  );
  expect([...used].sort()).toEqual(names.sort());
  expect(text).not.toMatch(/x-component|"\$id"|def-\d/);
});

test('every operation has an id of its own, a summary, one known tag, and a description of its answers', async () => {
  const operations = operationsOf(document);
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[a-z][A-Za-z]+$/)));
  expect(new Set(ids).size).toBe(ids.length);
  const tags = document.tags.map(({ name }) => name);
  for (const { name, summary, tags: own, responses } of operations) {
    expect([own.length, tags], name).toEqual([1, expect.arrayContaining([...own])]);
    expect(summary, name).toMatch(/^[A-Z]/);
    for (const { description } of Object.values(responses)) {
      expect(description, name).not.toBe('Default Response');
    }
  }
});

test('every example holds against its schema, and each event of a stream has one', async () => {
  let count = 0;
  for (const { name, responses } of operationsOf(document)) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const { schema, examples = {} } of Object.values(content)) {
        for (const [title, { value }] of Object.entries(examples)) {
          expect(errorsOf(document, schema, value), `${name} ${status} ${title}`).toEqual([]);
          count += 1;
        }
      }
    }
  }
  expect(count).toBeGreaterThan(10);
  const { content } = document.paths['/search']?.['get']?.responses['200'] ?? {};
  for (const type of ['application/x-ndjson', 'text/event-stream']) {
    expect(Object.keys(content?.[type]?.examples ?? {})).toEqual([
      'search-started',
      'carrier-status',
      'journeys-upsert',
      'search-done',
      'search-failed',
    ]);
  }
  expect(Object.keys(content?.['application/json']?.examples ?? {})).toEqual([
    'complete',
    'partial',
    'converted',
    'details',
    'roundTrip',
  ]);
  const calendar = document.paths['/calendar']?.['get']?.responses['200']?.content ?? {};
  expect(Object.keys(calendar['text/event-stream']?.examples ?? {})).toEqual([
    'calendar-started',
    'calendar-days',
    'carrier-status',
    'calendar-done',
  ]);
});

const json = 'application/json';
const problem = 'application/problem+json';
const search = '/search?origin=Madrid&destination=Barcelona';

test.each([
  ['get', '/search', search, 200, json],
  ['get', '/search', '/search?origin=Madird&destination=Barcelona', 400, problem],
  ['get', '/search', '/search', 400, problem],
  ['get', '/search', `${search}&returnDate=2026-12-24`, 200, json],
  ['get', '/search', `${search}&returnDate=2026-11-01`, 400, problem],
  ['get', '/calendar', '/calendar?origin=Madrid&destination=Barcelona', 200, json],
  ['get', '/calendar', '/calendar?origin=Madrid&destination=Barcelona&month=soon', 400, problem],
  ['get', '/stations', '/stations', 200, json],
  ['get', '/stations', '/stations?text=barclona', 200, json],
  ['get', '/stations', '/stations?near=40.4,-3.7', 200, json],
  ['get', '/stations', '/stations?near=here', 400, problem],
  ['get', '/stations/{id}', '/stations/city:es:madrid', 200, json],
  ['get', '/stations/{id}', '/stations/uic:8020347', 200, json],
  ['get', '/stations/{id}', '/stations/uic:1', 404, problem],
  ['get', '/api/v1/worms/{class}', '/api/v1/worms/utilize', 200, json],
  ['get', '/api/v1/worms/{class}', '/api/v1/worms/utilize?x=1', 400, problem],
  ['get', '/compute', '/compute', 200, json],
  ['post', '/sink', '/sink?hash=md5', 200, json],
  ['get', '/healthz', '/healthz', 200, json],
  ['get', '/readyz', '/readyz', 200, json],
  ['get', '/config', '/config', 200, json],
  ['get', '/stats', '/stats', 200, json],
  ['get', '/metrics', '/metrics', 200, 'text/plain'],
  ['get', '/operator/state', '/operator/state', 200, json],
  ['post', '/operator/reload', '/operator/reload', 403, problem],
] as const)(
  '%s %s answers as the document describes: %s is %i %s',
  async (method, route, path, status, type) => {
    const init =
      method === 'post'
        ? { method, body: '{}', headers: { 'content-type': json, origin: 'http://elsewhere.test' } }
        : {};
    const answer = await server().get(path, init);
    expect(answer).toMatchObject({ status, type });
    const { schema } = document.paths[route]?.[method]?.responses[status]?.content?.[type] ?? {};
    expect(schema).toBeTypeOf('object');
    expect(errorsOf(document, schema ?? {}, answer.body)).toEqual([]);
  },
);

test('a partial answer, a stream and an answer of no carrier match the document', async () => {
  // Only a search that no carrier answers waits for its deadline: on a busy machine the others may take their time.
  const { get, carriersUrl } = await serveDemo('--latency', '0', '--deadline-ms', '60000');
  const responses = document.paths['/search']?.['get']?.responses;
  const schemaOf = (status: string, type: string) =>
    responses?.[status]?.content?.[type]?.schema ?? { not: {} };
  await setPlan(carriersUrl, 'ouigo', { fault: { kind: 'malformed-price', share: 1 } });
  const partial = await get(search);
  expect(partial.body.complete).toBe(false);
  expect(errorsOf(document, schemaOf('200', json), partial.body)).toEqual([]);
  const ndjson = 'application/x-ndjson';
  const stream = await get(search, { headers: { accept: ndjson } });
  for (const line of (stream.body as string).trim().split('\n')) {
    expect(errorsOf(document, schemaOf('200', ndjson), JSON.parse(line))).toEqual([]);
  }
  // Without an admission: on a busy machine the request could wait there for its deadline, and be refused as that.
  const argv = ['--latency', '0', '--deadline-ms', '300', '--max-in-flight', 'off'];
  const late = await serveDemo(...argv);
  for (const carrier of ASKED) {
    await setPlan(late.carriersUrl, carrier, { fault: { kind: 'hang', share: 1 } });
  }
  const refused = await late.get(search);
  expect(refused.status).toBe(504);
  expect(errorsOf(document, schemaOf('504', problem), refused.body)).toEqual([]);
});

test('/docs is a page that loads nothing from elsewhere; styles in its text are allowed there alone', async () => {
  const { status, type, headers, body } = await server().get('/docs');
  expect([status, type]).toEqual([200, 'text/html']);
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline'");
  const { headers: others } = await server().get('/');
  expect(others.get('content-security-policy')).not.toContain('unsafe');
  for (const [, path = ''] of (body as string).matchAll(/(?:src|href)="([^"]+)"/g)) {
    if (path.startsWith('#')) continue;
    expect(path).toMatch(/^\/(?!\/)/);
    expect((await server().get(path)).status, path).toBe(200);
  }
  expect(body).toContain('name="viewport"');
  expect(await server().get('/docs/json')).toMatchObject({ body: { openapi: '3.1.0' } });
  expect((await server().get('/docs/', { redirect: 'manual' })).headers.get('location')).toBe(
    '/docs',
  );
});

test('/docs fills in what a route must have; examples of all else are in the descriptions', async () => {
  const operations = apiOperations((await server().get('/docs/json')).body);
  const parameters = operations.flatMap((operation) => operation.parameters);
  const filled = parameters.filter((one) => one.filled !== undefined);
  expect(filled.length).toBeGreaterThan(5);
  expect(filled.filter(({ required }) => required !== true)).toEqual([]);
  const search = operations.find(({ id }) => id === 'search');
  const described = (name: string) =>
    search?.parameters.find((one) => one.name === name)?.description;
  expect(described('time')).toBe('Departures from then on, HH:MM at the origin, as `08:30`');
  expect(described('maxPrice')).toMatch(/, as `199\.90` or `45 CHF`$/);
  // Programs that read the document have them as values.
  const plain = apiOperations(document).find(({ id }) => id === 'search');
  expect(plain?.parameters.find(({ name }) => name === 'time')?.filled).toBe('08:30');
});
