// A user's module: the conformance suite of dispatchers, with only the published packages. The repository's tests run the
// slow groups.
import assert from 'node:assert/strict';
import { createInProcessDispatcher } from '@ticketing/dispatch';
import { conformanceCases } from '@ticketing/dispatch-conformance';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { withFallback, withHedge } from '@ticketing/dispatch-wrappers';

const subjects = [
  {
    kind: 'in-process',
    capabilities: { isolation: 'none', hardKill: false, transfer: false, streams: true },
    create: async (url, options) =>
      createInProcessDispatcher((await import(url.href)).default, options),
  },
  {
    kind: 'in-process with clone',
    capabilities: { isolation: 'none', hardKill: false, transfer: true, streams: true },
    copies: true,
    create: async (url, options) =>
      createInProcessDispatcher((await import(url.href)).default, { ...options, clone: true }),
  },
  {
    kind: 'in-process, in wrappers',
    capabilities: { isolation: 'none', hardKill: false, transfer: false, streams: true },
    create: async (url, options) => {
      const { default: tasks } = await import(url.href);
      const first = createInProcessDispatcher(tasks, options);
      return withFallback(withHedge(first, { afterMs: 1 }), createInProcessDispatcher(tasks));
    },
  },
  {
    kind: 'fork',
    capabilities: { isolation: 'process', hardKill: true, transfer: false, streams: true },
    create: createForkDispatcher,
  },
  {
    kind: 'piscina',
    capabilities: { isolation: 'thread', hardKill: true, transfer: true, streams: true },
    create: createPiscinaDispatcher,
  },
];
const groups = /^(abort|copies|errors|loss|progress|queue|retries|streams|transfer|values):/;

for (const subject of subjects) {
  let passed = 0;
  for (const { name, skip, run } of conformanceCases(subject)) {
    if (skip !== undefined || !groups.test(name)) continue;
    await run().catch(({ stack }) => assert.fail(`${subject.kind}: ${name}: ${stack}`));
    passed += 1;
  }
  console.log(`node ${process.version}: ${subject.kind} passes ${passed} cases`);
}
