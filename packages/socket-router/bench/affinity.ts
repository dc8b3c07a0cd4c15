// How many upstream calls key affinity saves, and how it spreads the load: 4 workers that each coalesce equal calls.
import { median, table } from '@ticketing/bench-kit';
import { createSocketRouter, forkWorkers, type RouterOptions } from '@ticketing/socket-router';
import { askOnce } from './measure.ts';

const WORKERS = 4;
const KEYS = 1000;
const REQUESTS = 6000;
const IN_FLIGHT = 200;

interface Outcome {
  readonly name: string;
  readonly calls: number;
  /** Greatest number of requests in flight in a worker, divided by the mean. */
  readonly spread: number;
}

const route: NonNullable<RouterOptions['route']> = ({ target = '' }) => ({ key: target });
const ROUTINGS: readonly (Partial<RouterOptions> & { readonly name: string })[] = [
  { name: 'least connections, no key' },
  {
    name: 'by key, `loadFactor: Infinity`',
    route,
    laterRequests: 'connection',
    balance: { loadFactor: Number.POSITIVE_INFINITY },
  },
  {
    name: 'by key, `loadFactor: 1.25`',
    route,
    laterRequests: 'connection',
    balance: { loadFactor: 1.25 },
  },
];

/** Sends the same requests with each kind of routing; returns lines of text. */
export async function measureAffinity(): Promise<string[]> {
  const outcomes: Outcome[] = [];
  for (const routing of ROUTINGS) outcomes.push(await measureRouting(routing));
  const first = outcomes[0]?.calls ?? 0;
  return [
    '',
    `Equal requests to one worker: ${REQUESTS} requests, ${IN_FLIGHT} in flight, ${KEYS} keys by Zipf (1.1), each worker joins ` +
      'equal calls to an upstream of 100 ms:',
    '',
    ...table([
      ['', 'upstream calls', 'saved', 'max / mean in flight'],
      ...outcomes.map(({ name, calls, spread }) => [
        name,
        String(calls),
        `${Math.round(100 * (1 - calls / first))} %`,
        spread.toFixed(2),
      ]),
    ]),
  ];
}

async function measureRouting({ name, ...options }: (typeof ROUTINGS)[number]): Promise<Outcome> {
  const workers = forkWorkers(new URL('programs/upstream-worker.ts', import.meta.url), WORKERS);
  const router = createSocketRouter({ workers, ...options });
  const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
  const areReady = (): boolean => router.stats().workers.every(({ state }) => state === 'ready');
  while (!areReady()) await new Promise<unknown>((resolve) => router.on('worker-ready', resolve));
  const spreads: number[] = [];
  const sampler = setInterval(() => {
    const loads = router.stats().workers.map(({ queued, open }) => queued + open);
    const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
    if (mean > IN_FLIGHT / WORKERS / 2) spreads.push(Math.max(...loads) / mean);
  }, 10);
  const keys = zipf(KEYS, 1.1, 1);
  let [begun, calls] = [0, 0];
  const queue = async (): Promise<void> => {
    while (begun < REQUESTS) {
      begun += 1;
      if ((await askOnce(port, `/${keys.next().value}`)) === 'called') calls += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, queue));
  clearInterval(sampler);
  await router.close();
  return { name, calls, spread: median(spreads) };
}

/** Yields numbers below `count`, number `n` in proportion to `1 / (n + 1) ** exponent`; the same for the same seed. */
function* zipf(count: number, exponent: number, seed: number): Generator<number, never> {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) {
    sum += (n + 1) ** -exponent;
    sums[n] = sum;
  }
  // mulberry32, Tommy Ettinger, public domain.
  let state = seed;
  for (;;) {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    const wanted = (((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * sum;
    yield firstAbove(sums, wanted);
  }
}

function firstAbove(sums: Float64Array, wanted: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
