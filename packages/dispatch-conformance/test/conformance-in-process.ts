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

/** Cases that copies of values change most; all others with copies are in `test/full`. */
const copied = ['values:', 'copies:', 'transfer:', 'errors:'];

/**
 * Runs the cases of `npm test`, or all others. `npm test` has all but the large ones with values by reference; with copies it has the
 * cases that copies change, but for the long ones.
 */
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
