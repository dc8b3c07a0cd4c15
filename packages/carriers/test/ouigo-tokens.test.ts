import type { CarrierHttp } from '@ticketing/core';
import { expect, test } from 'vitest';
import { createTokenStore } from '../src/ouigo/request.ts';
import {
  ask,
  bytesOf,
  createCarriers,
  failureOf,
  now,
  queryOf,
  startUpstream,
} from './upstream.ts';

test('a token is used until ten seconds before it expires', () => {
  let atMs = 1000;
  const tokens = createTokenStore(() => atMs);
  expect(tokens.current()).toBeUndefined();
  tokens.keep('one', 60_000);
  atMs = 49_999;
  expect(tokens.current()).toBe('one');
  atMs = 50_000;
  expect(tokens.current()).toBeUndefined();
});

test('a refused token is dropped, and a newer one stays', () => {
  const tokens = createTokenStore(() => 0);
  tokens.keep('one', 60_000);
  tokens.keep('two', 60_000);
  tokens.forget('one');
  expect(tokens.current()).toBe('two');
  tokens.forget('two');
  expect(tokens.current()).toBeUndefined();
  tokens.forget('two');
  tokens.keep('three', 60_000);
  expect(tokens.current()).toBe('three');
});

test('two searches whose token is refused at the same time use the tokens that they got', async () => {
  const upstream = await startUpstream();
  const { ouigo } = upstream.carriers;
  await ask(upstream, ouigo);
  // The carrier forgets its tokens: each search logs in anew, and the last token is kept for the next one.
  const client = upstream.http.clientOf('ouigo');
  const refused = new Set<string>();
  const sent: string[] = [];
  const http: typeof client = {
    send(request) {
      const { authorization } = request.headers ?? {};
      sent.push(authorization ?? 'login');
      if (authorization === undefined || refused.has(authorization) || sent.length > 2) {
        return client.send(request);
      }
      refused.add(authorization);
      return client.send({
        ...request,
        headers: { ...request.headers, authorization: 'Bearer old' },
      });
    },
  };
  await ask(upstream, ouigo, undefined, { http });
  expect(sent.filter((what) => what === 'login')).toHaveLength(1);
  const logins = sent.length;
  await ask(upstream, ouigo, undefined, { http });
  // One call more: the new token was kept.
  expect(sent).toHaveLength(logins + 1);
});

test('no listener stays on the signal of a search, answered or refused', async () => {
  const upstream = await startUpstream({ credentials: { username: 'someone', password: 'else' } });
  const controller = new AbortController();
  const added: string[] = [];
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...parameters: Parameters<typeof add>) => {
    added.push(parameters[0]);
    add(...parameters);
  };
  signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
    added.pop();
    remove(...parameters);
  };
  const { ouigo } = createCarriers(upstream.sim.url);
  const error = await failureOf(() => ask(upstream, ouigo, undefined, { signal }));
  expect(error.code).toBe('AUTH');
  expect(added).toEqual([]);
  const other = await startUpstream();
  await ask(other, other.carriers.ouigo, undefined, { signal, deadline: now() + 5000 });
  expect(added).toEqual([]);
});

/** Searches twice over answers of a login, and returns the paths that were asked. */
async function pathsAfter(login: object, atMs = 1): Promise<readonly string[]> {
  const { ouigo } = createCarriers('http://127.0.0.1:1', { now: () => atMs });
  const paths: string[] = [];
  const http: CarrierHttp = {
    async send({ url }) {
      paths.push(new URL(url).pathname);
      const isLogin = url.endsWith('/login');
      const answer = isLogin ? { token: 'abc', ...login } : { outbound: [], error: null };
      return { status: 200, headers: {}, body: bytesOf(JSON.stringify(answer)), receivedAt: 1 };
    },
  };
  const context = { http, signal: new AbortController().signal, deadline: 1 };
  for (let count = 0; count < 2; count += 1) await ouigo.request(queryOf(), context);
  return paths;
}

const SEARCH = '/ouigo/Sale/journeysearch';
const LOGIN = '/ouigo/Token/login';

test.each<[what: string, login: object]>([
  ['does not say how long it is valid', {}],
  ['says null', { expires_in: null, expirationDate: null }],
  ['says a text that is no date', { expirationDate: 'soon' }],
  ['says a number as a text', { expires_in: '60' }],
  ['says a date', { expirationDate: '1970-01-01T00:01:00.0000000+00:00' }],
])('a token that %s is used until it is refused, or expires', async (_what, login) => {
  expect(await pathsAfter(login)).toEqual([LOGIN, SEARCH, SEARCH]);
});

test('a token whose date has passed is not used again', async () => {
  const login = { expirationDate: '1970-01-01T00:01:00Z' };
  expect(await pathsAfter(login, 60_000)).toEqual([LOGIN, SEARCH, LOGIN, SEARCH]);
});

test('a page in place of an answer does not cost the token', async () => {
  const upstream = await startUpstream({ plan: { ouigo: { fault: { kind: 'moved' } } } });
  const { ouigo } = upstream.carriers;
  for (let count = 0; count < 2; count += 1) {
    expect(await failureOf(() => ask(upstream, ouigo))).toMatchObject({ code: 'AUTH' });
  }
  expect(upstream.sim.requests().ouigo.arrived).toBe(3);
});
