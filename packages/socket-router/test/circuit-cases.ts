import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createSocketRouter, forkWorkers } from '../src/index.ts';
import { execArgv } from './worker-processes.ts';

/** Fast, so that a test need not wait. */
export const restart = { backoffMs: [1, 50] as const, maxFailures: 2 };
/** The first failed start is the last. */
export const once = { workers: 1, restart: { ...restart, maxFailures: 0 } };

const servers = {
  https: ['tls-worker', 'one that ends TLS'],
  http2: ['tls-worker', 'one that ends TLS'],
  h2c: ['h2c-worker', 'one of HTTP/2'],
} as const;

export function testServerOfOtherKind(
  name: keyof typeof servers,
  way: 'passthru' | 'forward',
): void {
  test(`a server of ${name} for ${way} does not start, and ready() has the reason`, async () => {
    const [module, got] = servers[name];
    const router = createSocketRouter({
      ...(way === 'passthru' ? { mode: 'passthru' } : { laterRequests: 'forward' }),
      workers: forkWorkers(new URL(`workers/${module}.mjs`, import.meta.url), {
        ...once,
        execArgv,
        env: { ...process.env, SERVER: name, ROUTE: 'any' },
      }),
    });
    onTestFinished(() => router.close({ graceMs: 500 }));
    const error = await router.ready().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ERR_CIRCUIT_OPEN' });
    expect(inspect(error)).toContain(
      `Cannot attach server: \`server\` must be an http server with \`mode\` passthru or \`laterRequests\` forward, got ${got}`,
    );
  });
}
