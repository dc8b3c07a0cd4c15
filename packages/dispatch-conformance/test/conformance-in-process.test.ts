import { createInProcessDispatcher, type TaskModule } from '@ticketing/dispatch';
import { type ConformanceTasks, conformanceCases } from '@ticketing/dispatch-conformance';
import { describe, expect, test } from 'vitest';

const casesWith = (clone: boolean) =>
  conformanceCases({
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: clone, streams: true },
    copies: clone,
    async create(module, options) {
      const loaded = (await import(module.href)) as { default: TaskModule<ConformanceTasks> };
      return createInProcessDispatcher(loaded.default, { ...options, clone });
    },
  });
const cases = casesWith(false);

for (const { name, skip, run } of cases) {
  test.skipIf(skip !== undefined)(name, { timeout: 60_000 }, run);
}

describe('with clone', () => {
  for (const { name, skip, run } of casesWith(true)) {
    test.skipIf(skip !== undefined)(name, { timeout: 60_000 }, run);
  }
});

test('with clone every case of values, copies and transfers is run', () => {
  const ofValues = casesWith(true).filter(({ name }) => /^(values|copies|transfer):/.test(name));
  expect(ofValues.flatMap(({ skip }) => skip ?? [])).toEqual([
    'buffers can be moved',
    'buffers can be moved',
  ]);
});

test('each case has a name of its own', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});
