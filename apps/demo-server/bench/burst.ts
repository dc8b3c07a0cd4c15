// Bursts of different questions at once: how many are answered in time with the limit of requests in flight and without one, by a
// server that has just started and by one that is warm. Writes the table into docs/measurements. `--quick` only prints it;
// `--accept single,cluster` measures some ways alone.
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchFlags, interleaved, percent, three } from '@ticketing/bench-kit';
import { ACCEPTS } from '../src/flags/flag-specs.ts';
import { reportDemo } from './demo-bench.ts';
import { startServer } from './demo-process.ts';

const flags = benchFlags(
  { rounds: 3 },
  {
    quickLengths: { rounds: 1 },
    texts: { accept: 'Ways to accept, with commas between them', sizes: 'Questions of a burst' },
  },
);
const SIZES = (flags.sizes ?? '50,100,300').split(',').map(Number);
const CARRIER_MS = 50;
const DEADLINE_MS = 2000;
const WARM_BURSTS = 3;
/** In which the work of a burst ends, and the limit is as before. */
const PAUSE_MS = 2500;
const [DAYS, DAY_MS] = [40, 86_400_000];
const LIMITS = ['off', 'auto'] as const;
const STATES = ['fresh', 'warm'] as const;

const accepts = flags.accept?.split(',') ?? ACCEPTS;

/** Different questions: each day of the next weeks, and then for one passenger more. */
function questions(count: number): string[] {
  return Array.from({ length: count }, (_, place) => {
    const date = new Date(Date.now() + ((place % DAYS) + 2) * DAY_MS).toISOString().slice(0, 10);
    const passengers = 1 + Math.floor(place / DAYS);
    return `/search?origin=Atocha&destination=Barcelona&date=${date}&passengers=${passengers}`;
  });
}

interface Outcome {
  readonly inTime: number;
  readonly refused: number;
}

/** Asks all questions at once, each over a connection of its own. */
async function burst(url: string, count: number): Promise<Outcome> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const outcomes = await Promise.all(questions(count).map((path) => ask(url + path, agent)));
  agent.destroy();
  return {
    inTime: outcomes.filter(({ ms, isComplete }) => isComplete && ms <= DEADLINE_MS).length,
    refused: outcomes.filter(({ status }) => status === 503).length,
  };
}

function ask(
  url: string,
  agent: Agent,
): Promise<{ readonly status: number; readonly isComplete: boolean; readonly ms: number }> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent }, async (response) => {
      const body = await text(response);
      const status = response.statusCode ?? 0;
      // 504: no carrier has answered in time.
      if (![200, 503, 504].includes(status)) reject(new Error(`Cannot measure: ${status} ${body}`));
      const isComplete = status === 200 && body.includes('"complete":true');
      resolve({ status, isComplete, ms: performance.now() - sentAt });
    })
      .once('error', reject)
      .end();
  });
}

const cases = accepts.flatMap((accept) =>
  SIZES.flatMap((size) => LIMITS.map((limit) => ({ accept, size, limit }))),
);
const outcomes = cases.map(() => ({ fresh: [] as Outcome[], warm: [] as Outcome[] }));
for (const { item, place } of interleaved(cases, { rounds: flags.rounds, warmUps: 0 })) {
  const server = await startServer([
    ...['--port', '0', '--worms', '0', '--accept', item.accept, '--max-in-flight', item.limit],
    ...['--latency', String(CARRIER_MS), '--deadline-ms', String(DEADLINE_MS)],
  ]);
  outcomes[place]?.fresh.push(await burst(server.url, item.size));
  for (let warm = 0; warm < WARM_BURSTS; warm += 1) {
    await sleep(PAUSE_MS);
    outcomes[place]?.warm.push(await burst(server.url, item.size));
  }
  await server.stop();
}

const mean = (own: readonly Outcome[], name: keyof Outcome): number =>
  own.reduce((all, one) => all + one[name], 0) / own.length;

const rows = cases.flatMap(({ accept, size, limit }, place) => {
  if (limit === 'off') return [];
  return STATES.map((state) => {
    const [without, own] = [outcomes[place - 1]?.[state] ?? [], outcomes[place]?.[state] ?? []];
    const inTime = [without, own].map((some) => mean(some, 'inTime'));
    const [base = 0, limited = 0] = inTime;
    return [
      `\`--accept ${accept}\`, ${state}`,
      String(size),
      ...inTime.map(three),
      percent(limited / base),
      three(mean(own, 'refused')),
    ];
  });
});
reportDemo(flags, {
  ...{ script: 'bench:burst', marks: 'burst' },
  rows: [['', 'at once', 'in time, no limit', 'with the limit', 'share', 'refused'], ...rows],
  before: `Complete answers within ${DEADLINE_MS} ms, carriers of ${CARRIER_MS} ms per call, means of a burst.`,
  after: `In each round a server starts, and gets a burst fresh and ${WARM_BURSTS} warm; load, server and simulator share the cores.`,
});
