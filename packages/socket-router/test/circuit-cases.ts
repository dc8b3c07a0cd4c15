import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import {
  createSocketRouter,
  type ForkOptions,
  forkWorkers,
  type RouterEvents,
  type SocketRouter,
} from '../src/index.ts';
import { execArgv } from './worker-processes.ts';

/** Fast, so that a test need not wait. */
const restart = { backoffMs: [1, 50] as const, maxFailures: 2 };
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

const failing = new URL('workers/failing-worker.mjs', import.meta.url);

interface Opened {
  readonly router: SocketRouter;
  readonly port: number;
  readonly circuits: RouterEvents['circuit-open'][];
  /** Has the workers start from now on. */
  repair(): void;
}

/** Opens a router whose workers fail in a way until `repair()`. */
export async function open(
  fails: string,
  options: Partial<ForkOptions> = {},
  module = failing,
): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'failing-'));
  const file = join(folder, 'repaired');
  const router = createSocketRouter({
    mode: 'socket',
    workers: forkWorkers(module, {
      workers: 2,
      execArgv,
      restart,
      env: { ...process.env, FAILS: fails, UNTIL: file },
      ...options,
    }),
  });
  onTestFinished(async () => {
    await router.close({ graceMs: 500 });
    rmSync(folder, { recursive: true });
  });
  const circuits: RouterEvents['circuit-open'][] = [];
  router.on('circuit-open', (data) => circuits.push(data));
  const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
  return { router, port, circuits, repair: () => writeFileSync(file, '') };
}

const ends = {
  throw: ['TypeError: no database', { exitCode: 1, signal: undefined }],
  exit: [
    /^Worker of slot `\d` ended with exit code 3 before it served; it must call `attachServer` and stay alive$/,
    { exitCode: 3 },
  ],
  'silent-kill': [
    /^Worker of slot `\d` ended by SIGKILL before it served; it must call `attachServer` and stay alive$/,
    { signal: 'SIGKILL' },
  ],
} as const;

/** The reason of a circuit that opens since workers end in a way before they serve. */
export function testFailedStart(fails: keyof typeof ends): void {
  test(`workers that ${fails} before they serve open the circuit with the reason`, async () => {
    const [message, data] = ends[fails];
    const { router } = await open(fails, once);
    const { cause } = await router.ready().catch((reason) => reason);
    expect(cause.message).toMatch(message);
    expect(cause.data).toMatchObject(data);
  });
}
