import { createInProcessDispatcher, type TaskModule } from '@ticketing/dispatch';
import {
  type ConformanceSubject,
  type ConformanceTasks,
  conformanceCases,
  splitCases,
} from '@ticketing/dispatch-conformance';
import { scaled } from '@ticketing/test-kit';
import { describe, expect, test } from 'vitest';

/** Cases that do a thing ten thousand times: `npm test` leaves them out. */
const largeCases: readonly string[] = ['abort: 10,000 calls', 'streams: 10,000 items'];

/** `largeCases`, and cases that wait for the clock of the platform: with copies, `npm test` leaves them out. */
const longCases: readonly string[] = [
  ...largeCases,
  'start: a module that never starts',
  'timeouts: each limit also',
  'kill: a task that ignores its signal delays',
  'streams: timeoutMs limits',
];

/** Dispatchers that run tasks in this process, with values as they are or as copies. */
function inProcess({ clone }: { readonly clone: boolean }): ConformanceSubject {
  return {
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: clone, streams: true },
    copies: clone,
    async create(module, options) {
      const loaded = (await import(module.href)) as { default: TaskModule<ConformanceTasks> };
      return createInProcessDispatcher(loaded.default, { ...options, clone });
    },
  };
}

/** Cases that copies of values change most: `npm test` has no others with copies. */
const copied = ['values:', 'copies:', 'transfer:', 'errors:'];

const plain = conformanceCases(inProcess({ clone: false }));
for (const { name, skip, run } of scaled({
  fast: splitCases(plain, largeCases).others,
  full: plain,
})) {
  test.skipIf(skip !== undefined)(name, { timeout: 60_000 }, run);
}

describe('with clone', () => {
  const cases = conformanceCases(inProcess({ clone: true }));
  for (const { name, skip, run } of scaled({
    fast: splitCases(splitCases(cases, longCases).others, copied).chosen,
    full: cases,
  })) {
    test.skipIf(skip !== undefined)(name, { timeout: 60_000 }, run);
  }
});

test('with clone every case of values, copies and transfers is run', () => {
  const cases = conformanceCases(inProcess({ clone: true }));
  const ofValues = cases.filter(({ name }) => /^(values|copies|transfer):/.test(name));
  expect(ofValues.flatMap(({ skip }) => skip ?? [])).toEqual([
    'buffers can be moved',
    'buffers can be moved',
  ]);
});

test('each case has a name of its own', () => {
  const cases = conformanceCases(inProcess({ clone: false }));
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});
