import { createInProcessDispatcher, type TaskModule } from '@ticketing/dispatch';
import {
  type ConformanceSubject,
  type ConformanceTasks,
  conformanceCases,
  splitCases,
} from '@ticketing/dispatch-conformance';
import { describe, test } from 'vitest';
import { largeCases, longCases } from './long-cases.ts';

/** Dispatchers that run tasks in this process, with values as they are or as copies. */
export function inProcess({ clone }: { readonly clone: boolean }): ConformanceSubject {
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

/** What copies of values change most; the rest with copies is in `test/full`. */
const copied = ['values:', 'copies:', 'transfer:', 'errors:'];

/** With values as they are all cases but the large ones, and with copies those that copies change but for the long ones: or all others. */
export function testInProcess({ isShort }: { readonly isShort: boolean }): void {
  const plain = splitCases(conformanceCases(inProcess({ clone: false })), largeCases);
  for (const { name, skip, run } of isShort ? plain.others : plain.chosen) {
    test.skipIf(skip !== undefined)(name, { timeout: 60_000 }, run);
  }
  describe('with clone', () => {
    const cases = conformanceCases(inProcess({ clone: true }));
    const chosen = new Set(splitCases(splitCases(cases, longCases).others, copied).chosen);
    for (const each of cases) {
      const { name, skip, run } = each;
      if (chosen.has(each) !== isShort) continue;
      test.skipIf(skip !== undefined)(name, { timeout: 60_000 }, run);
    }
  });
}
