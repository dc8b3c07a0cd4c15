import { test } from 'vitest';
import { coordinatorCases } from '../src/shared/conformance/index.ts';
import { createMemoryCoordinator, createMemoryStore } from '../src/shared/index.ts';

/** Waits two seconds for the clock of the platform. `npm test` shows renewals by a clock of its own. */
const LONG = 'lives: a lease is renewed while its process lives';

/** The promises of a coordinator in memory: those of `npm test`, or the long one. */
export function coordinatorTests({ isShort }: { readonly isShort: boolean }): void {
  const store = createMemoryStore();
  const cases = coordinatorCases({
    create: (options) => createMemoryCoordinator({ store, ...options }),
  });
  for (const { name, run } of cases) if ((name !== LONG) === isShort) test.concurrent(name, run);
}
