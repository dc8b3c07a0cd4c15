// What key affinity saves of upstream calls, and how it spreads the load: 4 workers that each coalesce equal calls.
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { median, table } from '@ticketing/bench-kit';
import { createSocketRouter, forkWorkers, type RouterOptions } from '@ticketing/socket-router';
import { zipf } from './zipf.ts';

const WORKERS = 4;
const KEYS = 1000;
const REQUESTS = 6000;
const IN_FLIGHT = 200;

interface Outcome {
  readonly name: string;
  readonly calls: number;
  /** Greatest number of requests in flight in a worker, to the mean. */
  readonly spread: number;
}

const route: NonNullable<RouterOptions['route']> = ({ target = '' }) => ({ key: target });
const WAYS: readonly (Partial<RouterOptions> & { readonly name: string })[] = [
  { name: 'least connections, no key' },
  {
    name: 'by key, `loadFactor: Infinity`',
    route,
    balance: { loadFactor: Number.POSITIVE_INFINITY },
  },
  { name: 'by key, `loadFactor: 1.25`', route },
];

/** Runs the same requests all ways; lines of text. */
export async function measureAffinity(): Promise<string[]> {
  const outcomes: Outcome[] = [];
  for (const way of WAYS) outcomes.push(await runWay(way));
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

async function runWay({ name, ...options }: (typeof WAYS)[number]): Promise<Outcome> {
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
      if ((await ask(port, `/${keys.next().value}`)) === 'called') calls += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, queue));
  clearInterval(sampler);
  await router.close();
  return { name, calls, spread: median(spreads) };
}

const agent = new Agent({ keepAlive: false });

function ask(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent }, (response) => {
      text(response).then(resolve, reject);
    });
    asked.once('error', reject);
    asked.end();
  });
}
