import { expect, test } from 'vitest';
import { createTokenStore } from '../src/ouigo/request.ts';
import { ask, createCarriers, failureOf, now, startUpstream } from './upstream.ts';

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

test('no listener stays on the signal of a search, whether it was answered or refused', async () => {
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
