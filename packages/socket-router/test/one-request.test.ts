import { test } from 'vitest';
import { compareManyRequests, WAYS } from './one-request-cases.ts';

test.each(WAYS)(
  '$kind: of 60 hostile requests a worker gets what Node reads, once, or nothing [one-request]',
  async (way) => {
    await compareManyRequests(way, { runs: 60, seed: 1 });
  },
);
