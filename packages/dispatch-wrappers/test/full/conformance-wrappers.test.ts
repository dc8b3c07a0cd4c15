import { createInProcessDispatcher, type Dispatcher, type TaskModule } from '@ticketing/dispatch';
import {
  type ConformanceSubject,
  type ConformanceTasks,
  conformanceCases,
} from '@ticketing/dispatch-conformance';
import { describe, test } from 'vitest';
import { withFallback, withHedge } from '../../src/index.ts';

type Wrap = (first: Dispatcher<ConformanceTasks>) => Dispatcher<ConformanceTasks>;

/** Dispatchers that run tasks in this process, each within a wrapper. */
function subjectOf(wrap: (module: TaskModule<ConformanceTasks>) => Wrap): ConformanceSubject {
  return {
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: false, streams: true },
    async create(module, options) {
      const loaded = (await import(module.href)) as { default: TaskModule<ConformanceTasks> };
      return wrap(loaded.default)(createInProcessDispatcher(loaded.default, options));
    },
  };
}

const subjects: Readonly<Record<string, ConformanceSubject>> = {
  withFallback: subjectOf((module) => (first) => {
    return withFallback(
      first,
      createInProcessDispatcher(module, { name: 'fallback', restart: { backoffMs: [1, 1] } }),
    );
  }),
  withHedge: subjectOf(() => (first) => withHedge(first, { afterMs: 1, share: 1 })),
};

/** Cases that count starts. The fallback has a worker of the same module, whose starts and broadcasts count too, and whose hanging start takes time. */
const countsStarts: ReadonlySet<string> = new Set([
  'start: a module that never starts is tried once, or as often where its worker cannot be killed, each time for startTimeoutMs',
  'start: after two failed starts the third worker answers the waiting calls',
  'start: setup runs once before a worker takes tasks, teardown once as it stops',
]);

describe.each(Object.entries(subjects))('%s', (wrapper, subject) => {
  for (const { name, skip, run } of conformanceCases(subject)) {
    const counts = countsStarts.has(name) || name.startsWith('broadcast: ');
    const isSkipped = skip !== undefined || (wrapper === 'withFallback' && counts);
    test.skipIf(isSkipped)(name, { timeout: 60_000 }, run);
  }
});
