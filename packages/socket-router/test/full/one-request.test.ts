import { test } from 'vitest';
import { fuzzSettings } from '../fixtures/random.ts';
import { compareManyRequests, WAYS } from '../one-request-cases.ts';

// A request by a way takes a millisecond of two idle cores: `FUZZ_RUNS=200000` takes some minutes for each.
const { runs, seed } = fuzzSettings(6000);

test.each(WAYS)(
  `$kind: of ${runs} hostile requests a worker gets what Node reads, once, or nothing [one-request]`,
  async (way) => {
    const { answered, refused } = await compareManyRequests(way, { runs, seed });
    console.log(`${way.kind}: ${answered} answered by a worker, ${refused} refused`);
  },
  // Each request has a limit of its own: how long all of them take is up to the machine.
  0,
);
