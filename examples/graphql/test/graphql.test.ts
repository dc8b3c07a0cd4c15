import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BatchingError } from '@ticketing/batching';
import { createAuthorLoader } from '../src/author-loader.ts';
import { createMemoryLibrary, type Library } from '../src/library.ts';
import { createApi } from '../src/server.ts';

const QUERY = '{ posts(limit: 50) { title author { name } } }';

/** Starts the API over a library whose queries of authors are recorded; returns a real client of it. */
async function start(
  t: TestContext,
  authorsOf: Library['authors'] = createMemoryLibrary().authors,
) {
  const queries: (readonly number[])[] = [];
  const library: Library = {
    ...createMemoryLibrary(),
    authors(ids, signal) {
      queries.push(ids);
      return authorsOf(ids, signal);
    },
  };
  const authors = createAuthorLoader(library);
  const server = createApi(library, authors).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    server.closeAllConnections();
    await authors.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  async function ask(signal?: AbortSignal) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY }),
      signal: signal ?? null,
    });
    const answer = (await response.json()) as {
      readonly data: { readonly posts: { readonly author: { readonly name: string } }[] };
    };
    return answer.data.posts;
  }
  return { ask, authors, queries };
}

/** Queries that wait until they are released, and tell when they start. */
function heldQueries() {
  const events = new EventEmitter();
  const authorsOf: Library['authors'] = async (ids, signal) => {
    const released = once(events, 'release', { signal });
    events.emit('start', signal);
    await released;
    return createMemoryLibrary().authors(ids, signal);
  };
  const started = once(events, 'start').then(([signal]: AbortSignal[]) => signal as AbortSignal);
  return { authorsOf, started, release: () => events.emit('release') };
}

test('50 posts by 5 authors cost one query of authors', async (t) => {
  const { ask, queries } = await start(t);
  const posts = await ask();
  assert.equal(posts.length, 50);
  assert.equal(posts[1]?.author.name, 'Grace');
  assert.deepEqual(queries, [[0, 1, 2, 3, 4]]);
});

test('20 clients at once cost one query of authors, and so do those that come within a second', async (t) => {
  const { authorsOf, started, release } = heldQueries();
  const { ask, authors, queries } = await start(t, authorsOf);
  const answers = Array.from({ length: 20 }, () => ask());
  await started;
  while (authors.stats().asked < 20 * 50) await turn();
  release();
  assert.equal((await Promise.all(answers)).length, 20);
  await ask();
  assert.equal(queries.length, 1);
});

test('a client that leaves aborts the query, unless another one waits for it', async (t) => {
  const { authorsOf, started, release } = heldQueries();
  const { ask, authors } = await start(t, authorsOf);
  const leaving = new AbortController();
  const left = ask(leaving.signal);
  const query = await started;
  const stays = ask();
  while (authors.stats().asked < 2 * 50) await turn();
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  while (authors.stats().left < 50) await turn();
  assert.equal(query.aborted, false);
  release();
  assert.equal((await stays).length, 50);
});

test('the query is aborted once its last client has left', async (t) => {
  const { authorsOf, started } = heldQueries();
  const { ask, authors } = await start(t, authorsOf);
  const leaving = new AbortController();
  const left = ask(leaving.signal);
  const query = await started;
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  if (!query.aborted) await once(query, 'abort');
  assert.ok(BatchingError.is(query.reason));
  assert.equal(authors.stats().inFlight, 0);
});

test('an author that requests share cannot be changed by one of them', async (t) => {
  const { authors } = await start(t);
  const [one, another] = await Promise.all([authors.get(1), authors.get(1)]);
  assert.equal(one, another);
  assert.throws(() => Object.assign(one ?? {}, { name: 'Mallory' }), TypeError);
  assert.equal((await authors.get(1))?.name, 'Grace');
});
