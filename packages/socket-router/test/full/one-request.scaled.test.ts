import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask } from '../clients.ts';
import {
  compareWay,
  FIRST_TARGET,
  readHead,
  type Way,
  type WayReport,
} from '../fixtures/compare-ways.ts';
import { hostileRequest } from '../fixtures/hostile-request.ts';
import { createRandom, fuzzSettings } from '../fixtures/random.ts';
import { type OpenOptions, openRouter } from '../router-fixture.ts';

interface NamedWay extends Omit<Way, 'to'> {
  readonly options: OpenOptions;
}

/** All ways of a request to a worker. */
const WAYS: readonly NamedWay[] = [
  { kind: 'socket', options: { count: 1 } },
  { kind: 'passthru', options: { count: 1, mode: 'passthru' } },
  {
    kind: 'forward',
    options: {
      count: 2,
      laterRequests: 'forward',
      env: { ROUTE: 'slots' },
      route: ({ target }) => ({ slot: target === FIRST_TARGET ? '0' : '1' }),
    },
  },
];

/** Connections at a time. */
const CONNECTIONS = 24;

/** Sends random requests on one way, and expects that each reaches the worker as Node reads it, or not at all. */
async function compareManyRequests(
  { kind, options }: NamedWay,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<void> {
  const { port } = await openRouter({ worker: 'witness-worker', ...options });
  const random = createRandom(seed);
  let left = runs;
  const next = (): Buffer | undefined => {
    while (left > 0) {
      left -= 1;
      const bytes = hostileRequest(random);
      // Of those that the reader refuses one in eight is sent: each costs a connection.
      if (random.below(8) === 0 || readHead(bytes).kind === 'http1') return bytes;
    }
    return undefined;
  };
  const reports = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      compareWay({ kind, to: { port, host: '127.0.0.1' } }, next),
    ),
  );
  const sum = (of: (report: WayReport) => number) => reports.reduce((all, one) => all + of(one), 0);
  const total: WayReport = {
    wrong: reports.flatMap(({ wrong }) => wrong),
    answered: sum(({ answered }) => answered),
    refused: sum(({ refused }) => refused),
    unanswered: sum(({ unanswered }) => unanswered),
  };
  expect(total.wrong).toEqual([]);
  // Both sides are met often, so that neither half of the promise is empty.
  expect(total.answered).toBeGreaterThan(runs / 4);
  expect(total.refused).toBeGreaterThan(runs / 40);
  // What was smuggled would have been answered to somebody else.
  const { headers } = await ask(port, { path: '/count' });
  const others = Number(headers['x-count']) - 1 - total.answered;
  expect(others).toBeGreaterThanOrEqual(0);
  expect(others).toBeLessThanOrEqual(total.unanswered);
}

// A request by a way takes a millisecond of two idle cores: `FUZZ_RUNS=200000` takes some minutes for each.
const { runs, seed } = fuzzSettings(scaled({ fast: 60, full: 6000 }));

test.each(WAYS)(
  `$kind: of ${runs} hostile requests a worker gets what Node reads, once, or nothing [one-request]`,
  async (way) => {
    await compareManyRequests(way, { runs, seed });
  },
  // Each request has a limit of its own: how long all of them take is up to the machine.
  0,
);
