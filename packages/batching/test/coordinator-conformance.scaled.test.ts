import { scaled } from '@ticketing/test-kit';
import { test } from 'vitest';
import { coordinatorCases } from '../src/shared/conformance/index.ts';
import { createMemoryCoordinator, createMemoryStore } from '../src/shared/index.ts';

/** Waits two seconds for the clock of the platform. `npm test` shows renewals by a clock of its own. */
const LONG = 'lives: a lease is renewed while its process lives';

const store = createMemoryStore();
const cases = coordinatorCases({
  create: (options) => createMemoryCoordinator({ store, ...options }),
});
const short = cases.filter(({ name }) => name !== LONG);
for (const { name, run } of scaled({ fast: short, full: cases })) test.concurrent(name, run);
