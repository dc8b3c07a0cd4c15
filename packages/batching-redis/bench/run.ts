// What a lease and a kept value cost beside the client used by hand; written between the marks in docs/measurements. `--quick`
// for a look, `--rounds 30` for more certainty.
import { once } from 'node:events';
import { createCoalescer } from '@ticketing/batching';
import { type Coordinator, shareLoads } from '@ticketing/batching/shared';
import { benchFlags, circumstances, median, report, table } from '@ticketing/bench-kit';
import { createProgress } from '@ticketing/cli-kit';
import { startRedisServer } from '@ticketing/test-kit';
import { Redis as IoRedis } from 'ioredis';
import { Redis as IoValkey } from 'iovalkey';
import { createRedisCoordinator } from '../src/index.ts';
import { claimScript } from '../src/scripts.ts';

const flags = benchFlags({ rounds: 15, sliceMs: 200 });
const IN_FLIGHT = 64;
const LOAD_MS = 20;
const KEEP_MS = 600_000;
const BYTES = Buffer.alloc(1000, 'x');
const never = new AbortController().signal;

const CLIENTS = {
  iovalkey: (url: string) => new IoValkey(url),
  ioredis: (url: string) => new IoRedis(url) as unknown as IoValkey,
};

/** Milliseconds from now until the promise has settled. */
async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Calls per second, this many in flight, for a slice of time. */
async function rate(call: () => Promise<unknown>, inFlight: number): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const one = async (): Promise<void> => {
    while (performance.now() - startedAt < flags.sliceMs) {
      await call();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return (calls * 1000) / (performance.now() - startedAt);
}

async function measure(name: keyof typeof CLIENTS, url: string): Promise<readonly string[]> {
  const connect = async () => {
    const client = CLIENTS[name](url);
    await once(client, 'ready');
    return client;
  };
  const [one, another] = [await connect(), await connect()];
  const coordinators = [one, another].map((client) =>
    createRedisCoordinator({ client, commandTimeoutMs: 10_000 }),
  );
  const [leader, follower] = coordinators as [Coordinator, Coordinator];

  // The coordinator's own script on the value that it kept, sent by hand. In no types; as text the answer would be decoded.
  const { evalshaBuffer } = one as unknown as {
    evalshaBuffer(...command: (string | number)[]): Promise<[Buffer, number]>;
  };
  const { sha, keys } = claimScript;
  const names = ['v', 'l', 'f', 'w'].map((each) => `tt:{kept}:${each}`);
  const raw = () => evalshaBuffer.call(one, sha, keys, ...names, 'token', 5000, '', 0, 'waiter');
  const found = await leader.claim('kept', { leaseMs: 5000, signal: never });
  if (found.kind === 'lease') {
    await found.lease.finish({ kind: 'value', bytes: BYTES, loadMs: 1 }, KEEP_MS);
  }
  const kept = () => leader.claim('kept', { leaseMs: 5000, signal: never });
  const equal = await kept();
  if (equal.kind !== 'value' || !BYTES.equals(equal.bytes))
    throw new Error('the kept value differs');
  if (!BYTES.equals((await raw())[0].subarray(-BYTES.length)))
    throw new Error('the raw value differs');

  const rates = { raw: [] as number[], kept: [] as number[] };
  const singles = { raw: [] as number[], kept: [] as number[], miss: [] as number[] };
  const wakes: number[] = [];
  let key = 0;
  const lone = createCoalescer(
    shareLoads(async (each: number) => each, { coordinator: leader, name: `bench:${name}` }),
    { name: 'lone' },
  );
  const progress = createProgress();
  progress.begin(name, flags.rounds);
  for (let round = 0; round < flags.rounds; round += 1) {
    const turns = [
      async () => rates.raw.push(await rate(raw, IN_FLIGHT)),
      async () => rates.kept.push(await rate(kept, IN_FLIGHT)),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
    for (let call = 0; call < 200; call += 1) {
      singles.raw.push(await timed(raw));
      singles.kept.push(await timed(kept));
      key += 1;
      const fresh = key;
      const { finished } = leader.stats();
      singles.miss.push(await timed(() => lone.get(fresh)));
      // The finish of one miss is not to delay the next.
      while (leader.stats().finished <= finished) await new Promise(setImmediate);
    }
    for (let call = 0; call < 10; call += 1)
      wakes.push(await wakeMs(leader, follower, `wake ${++key}`));
    progress.step();
  }
  progress.end();
  for (const coordinator of coordinators) await coordinator.close();
  for (const client of [one, another]) client.disconnect();
  const ratio = median(rates.kept) / median(rates.raw);
  const us = (values: readonly number[]) => `${Math.round(median(values) * 1000)} µs`;
  const trips = median(singles.miss) / median(singles.raw);
  return [
    name,
    `${Math.round(median(rates.raw) / 1000)}k/s`,
    `${Math.round(median(rates.kept) / 1000)}k/s (${ratio.toFixed(2)}x)`,
    us(singles.raw),
    us(singles.kept),
    `${us(singles.miss)} (${trips.toFixed(1)} round trips)`,
    `${median(wakes).toFixed(1)} ms`,
  ];
}

/** Milliseconds from the end of a load in one process until a caller of another one, which waits for it, has its value. */
async function wakeMs(leader: Coordinator, follower: Coordinator, key: string): Promise<number> {
  const found = await leader.claim(key, { leaseMs: 5000, signal: never });
  if (found.kind !== 'lease') throw new Error(`no lease: ${found.kind}`);
  const wait = await follower.claim(key, { leaseMs: 5000, signal: never });
  if (wait.kind !== 'wait') throw new Error(`no wait: ${wait.kind}`);
  const value = (async () => {
    await wait.woken;
    const claim = await follower.claim(key, { leaseMs: 5000, after: wait.fence, signal: never });
    wait.leave();
    if (claim.kind !== 'value') throw new Error(`no value: ${claim.kind}`);
    return performance.now();
  })();
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS / 10));
  const finishedAt = performance.now();
  void found.lease.finish({ kind: 'value', bytes: BYTES, loadMs: 1 }, 0);
  return (await value) - finishedAt;
}

const server = await startRedisServer();
try {
  const rows: (readonly string[])[] = [];
  for (const name of Object.keys(CLIENTS) as (keyof typeof CLIENTS)[]) {
    rows.push(await measure(name, server.url));
  }
  const client = new IoValkey(server.url);
  const info = await client.info('server');
  client.disconnect();
  const version = /(?:valkey|redis)_version:(\S+)/.exec(info)?.[1];
  const kind = info.includes('valkey_version') ? 'valkey-server' : 'redis-server';
  report(
    new URL('../../../docs/measurements/batching-redis.md', import.meta.url),
    [
      circumstances('pnpm --filter @ticketing/batching-redis bench', flags),
      `${kind} ${version} on loopback, which shares the cores with the caller; values of 1,000 bytes.`,
      '',
      ...table([
        [
          '',
          'EVALSHA by hand, 64 in flight',
          'kept value, 64 in flight',
          'EVALSHA by hand, alone',
          'kept value, alone',
          'lone miss',
          'follower has the value after',
        ],
        ...rows,
      ]),
    ],
    flags,
  );
} finally {
  await server.close();
}
