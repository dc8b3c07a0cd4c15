import { createInProcessDispatcher, type TaskModule } from '@ticketing/dispatch';
import { type ConformanceTasks, conformanceCases } from '@ticketing/dispatch-conformance';
import { expect, test } from 'vitest';

const cases = conformanceCases({
  kind: 'in-process',
  capabilities: { isolation: 'none', hardKill: false, transfer: true },
  async create(module, options) {
    const loaded = (await import(module.href)) as { default: TaskModule<ConformanceTasks> };
    return createInProcessDispatcher(loaded.default, options);
  },
});

for (const { name, skip, run } of cases) {
  test.skipIf(skip !== undefined)(name, { timeout: 60_000 }, run);
}

test('each case has a name of its own', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});
