import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const folder = new URL('node_modules/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const reference = await readFile(new URL('../../docs/reference/batching.md', root), 'utf8');
const snippets = [readme, reference].flatMap((page) =>
  [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string),
);

// What the snippets call and a reader would have.
const given = `
const calls: string[] = [];
const fetchRate = async (from: string, to: string) => { calls.push(from + to); return 0.9; };
const fetchUser = async (id: number, signal: AbortSignal) => { calls.push(String(id)); return id === 0 ? undefined : { id, aborted: signal.aborted }; };
const fetchNames = async (ids: readonly number[], signal: AbortSignal) => { calls.push(ids.join() + signal.aborted); return ids.map((id) => 'name ' + id); };
const fetchReport = async (url: string, signal?: AbortSignal | undefined) => { calls.push(url); return { url, aborted: signal?.aborted }; };
const fetchBoard = async (station: string) => { calls.push(station); return { validUntil: Date.now() + 60_000, bytes: 2000 }; };
const quoteEvents = async function* (pair: string, signal: AbortSignal) { calls.push(pair); yield pair + ' 0.93'; await new Promise(setImmediate); yield pair + ' 0.94' + signal.aborted; };
export { calls };
`;

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

/** Returns the place of the snippet with a text. */
function placeOf(text: string): number {
  return snippets.findIndex((snippet) => snippet.includes(text));
}

async function run(index: number, exported: string) {
  const file = new URL(`snippet-${index}-${exported.replaceAll(', ', '-')}.ts`, folder);
  const snippet = snippets[index] ?? '';
  await writeFile(file, `${given}\n${snippet}\nexport { ${exported} };\n`);
  return import(file.href);
}

test('README: a wrapped function and a keyed loader', async () => {
  const { rates, user, users, calls } = await run(0, 'rates, user, users');
  expect(rates).toEqual([0.9, 0.9]);
  expect(user).toEqual({ id: 7, aborted: false });
  expect(calls).toEqual(['EURCHF', '7']);
  // Negative caching: what is missing is kept, too.
  expect(await users.get(0)).toBeUndefined();
  expect(users.peek(0)).toEqual({ kind: 'value', value: undefined, stale: false });
});

test('README: a batch loader, and one for the whole process', async () => {
  const { one, two, again, names, calls } = await run(1, 'one, two, again, names');
  expect([one, two]).toEqual(['name 1', 'name 2']);
  expect(again).toEqual(['name 1', 'name 2', 'name 1']);
  // A batch of the snippet's part 3 and one of part 4, whose results are kept.
  expect(calls).toEqual(['1,2false', '1,2false']);
  expect(await names.get(2)).toBe('name 2');
  expect(calls).toHaveLength(2);
  expect(names.stats()).toMatchObject({ name: 'names', loaded: 2, joined: 1, hits: 1, kept: 2 });
});

test('README: the process-wide loader is of six lines, and ends what no caller waits for', async () => {
  const lines = (snippets[1] ?? '').split('\n');
  const [batch, loader] = ['const batch', 'const names'].map((begin) =>
    lines.findIndex((line) => line.startsWith(begin)),
  );
  const end = lines.indexOf('});', loader);
  expect(end - (loader as number) + 1 + 1).toBeLessThanOrEqual(6);
  expect(batch).toBeGreaterThan(0);
  const { names, batch: batcher } = await run(1, 'names, batch');
  const client = new AbortController();
  const asked = names.get(9, { signal: client.signal });
  client.abort();
  await expect(asked).rejects.toBe(client.signal.reason);
  expect(batcher.stats()).toMatchObject({ queued: 0, left: 1 });
});

test('README: Fastify routes, and who sees whose answer', async () => {
  const { app, calls } = await run(2, 'app');
  const get = (url: string, cookie = 'user=1') => app.inject({ url, headers: { cookie } });
  const reports = [get('/reports/1'), get('/reports/1'), get('/reports/2')];
  const urls = (await Promise.all(reports)).map((answer) => answer.json().url);
  expect(urls).toEqual(['/reports/1', '/reports/1', '/reports/2']);
  expect(calls).toEqual(['/reports/1', '/reports/2']);
  // By default each user has an answer of its own, by `shareCredentials` all have one; `key` replaces the URL.
  await Promise.all([get('/reports/3', 'user=1'), get('/reports/3', 'user=2')]);
  expect(calls.slice(2)).toEqual(['/reports/3', '/reports/3']);
  await Promise.all([get('/prices/4?a=1', 'user=1'), get('/prices/4', 'user=2')]);
  expect(calls.slice(4)).toEqual(['/prices/4?a=1']);
  await app.close();
});

test('README: a body is loaded and compressed once for equal requests of node:http', async () => {
  const { server, bodies, calls } = await run(3, 'server, bodies');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const url = `http://127.0.0.1:${port}/${'r'.repeat(2000)}`;
  const ask = async () => {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
    return [
      answer.headers.get('content-encoding'),
      ((await answer.json()) as { aborted: boolean }).aborted,
    ];
  };
  expect(await Promise.all([ask(), ask()])).toEqual([
    ['gzip', false],
    ['gzip', false],
  ]);
  expect(bodies.stats().asked).toBe(2);
  expect(bodies.stats().compressed).toBe(calls.length);
  server.close();
});

test('reference: shared bodies with Fastify', async () => {
  const { app } = await run(placeOf('bodies.answer('), 'app');
  const { headers, body } = await app.inject('/page');
  expect(JSON.parse(body)).toEqual({ url: '/page' });
  const again = await app.inject({ url: '/page', headers: { 'if-none-match': headers.etag } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  await app.close();
});

test('reference: a wrapped function is forgotten by a tag', async () => {
  const { report, calls } = await run(placeOf('report.forgetTag('), 'report');
  expect(report.stats()).toMatchObject({ kept: 0, tags: 0 });
  await report('ice 70', 1);
  expect(calls).toEqual(['ice 70/1', 'ice 70/1']);
  expect(report.forgetTag('reports')).toBe(1);
});

test('reference: a kept board answers others while it is renewed', async () => {
  const { boards, calls } = await run(placeOf('fetchBoard('), 'boards');
  expect(calls).toEqual(['Bern', 'Bern']);
  expect(boards.stats()).toMatchObject({ kept: 1, keptBytes: 2000 });
});

test('README: readers of a stream share its source', async () => {
  const { show, quotes, calls } = await run(4, 'show, quotes');
  const { signal } = new AbortController();
  const shown = await Promise.all([show(signal), show(signal)]);
  for (const each of shown) expect(each).toEqual(['EURCHF 0.93', 'EURCHF 0.94false']);
  expect(calls).toEqual(['EURCHF']);
  expect(quotes.stats()).toMatchObject({ opened: 1, joined: 1, inFlight: 0, readers: 0 });
});

test.each([
  ['coalescer/coalescer.ts', 'CoalescerOptions'],
  ['coalescer/coalescer.ts', 'CoalescerStats'],
  ['batcher/batcher.ts', 'BatcherOptions'],
  ['fastify/coalesce-routes-options.ts', 'CoalesceRoutesOptions'],
  ['fastify/coalesce-routes-options.ts', 'RouteCoalesceOptions'],
  ['http/routes/route-options.ts', 'RouteBounds'],
  ['http/routes/route-options.ts', 'CoalesceRouteOptions'],
  ['http/shared-bodies.ts', 'SharedBodiesOptions'],
  ['http/shared-bodies.ts', 'SharedBodiesStats'],
  ['streams/stream-coalescer.ts', 'StreamCoalescerOptions'],
  ['streams/stream-coalescer.ts', 'StreamCoalescerStats'],
])('the reference has every member of %s, %s', async (file, name) => {
  const source = await readFile(new URL(`src/${file}`, root), 'utf8');
  const [, body = ''] = source.split(`export interface ${name}`);
  const members = [...(body.split('\n}')[0] ?? '').matchAll(/^ {2}readonly (\w+)/gm)];
  expect(members.length).toBeGreaterThan(2);
  for (const [, member] of members) {
    if (member === 'name' && name.endsWith('Stats')) continue;
    expect(reference).toMatch(new RegExp(`^\\|.*\`${member}\`.* \\|`, 'm'));
  }
});

test('the reference has every error code', async () => {
  const errors = await readFile(new URL('src/errors.ts', root), 'utf8');
  for (const [code] of errors.matchAll(/ERR_[A-Z_]+/g)) expect(reference).toContain(code);
});

test('README begins with the sentence of the package, and is read in a few minutes', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  expect(readme.startsWith(`# @ticketing/batching\n\n${description}.\n`)).toBe(true);
  expect(
    (await readFile(new URL('src/index.ts', root), 'utf8')).startsWith(`// ${description}\n`),
  ).toBe(true);
  expect(readme).toContain('npm install @ticketing/batching`');
  expect(readme).toMatch(/ttlMs: \(found\) => /);
  // Settled results; when a failed renewal is tried again; what a refused client is told; a time to live, or for ever.
  expect(reference).toContain('`loadMany(keys)` resolves with settled results');
  expect(reference).toMatch(/how long a stale value is returned before the next renewal is tried/);
  expect(reference).toContain('503 of the plugin has `Retry-After: 1`');
  expect(reference).toContain('`true` keeps values **for ever**');
  const lines = readme.split('\n').filter((line) => !line.startsWith('|'));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(300);
  expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(900);
  expect(snippets).toHaveLength(8);
});
