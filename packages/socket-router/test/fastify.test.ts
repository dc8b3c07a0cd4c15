import { expect, test } from 'vitest';
import { ask } from './clients.ts';
import { openRouter } from './router-fixture.ts';

test.each(['socket', 'passthru'] as const)(
  'mode %s: a Fastify app that does not listen answers',
  async (mode) => {
    const { port } = await openRouter({ mode, worker: 'fastify-worker', count: 1 });
    const hello = JSON.parse((await ask(port, { path: '/hello/you' })).text);
    expect(hello.hello).toBe('you');
    if (mode === 'socket') expect(hello.ip).toBe('127.0.0.1');
    const text = 'x'.repeat(500_000);
    const body = Buffer.from(JSON.stringify({ text }));
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(port, { method: 'POST', path: '/size', body, headers });
    expect(JSON.parse(answer.text)).toEqual({ size: text.length });
  },
);
