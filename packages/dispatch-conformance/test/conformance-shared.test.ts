import type { TaskModule } from '@ticketing/dispatch';
import {
  type ConformanceSubject,
  type ConformanceTasks,
  conformanceCases,
} from '@ticketing/dispatch-conformance';
import { expect, test } from 'vitest';
import { createShared } from './shared-transport.ts';

const load = async (url: URL): Promise<TaskModule<ConformanceTasks>> =>
  ((await import(url.href)) as { default: TaskModule<ConformanceTasks> }).default;

const subject: ConformanceSubject = {
  kind: 'shared',
  capabilities: { isolation: 'none', hardKill: false, transfer: false, streams: true },
  create: async (module, options) => createShared(await load(module), options, {}),
  fleet: {
    createWithCapacity: async (module, options, capacity) =>
      createShared(await load(module), options, { capacity }),
    createWithLimit: async (module, options, limit) =>
      createShared(await load(module), options, { limit }),
    createWithoutHost: async (module, options) =>
      createShared(await load(module), options, { exist: false }),
  },
};

const cases = conformanceCases(subject).filter(({ name }) => name.startsWith('fleet: '));

for (const { name, skip, run } of cases) {
  test(name, { timeout: 60_000 }, async () => {
    expect(skip).toBeUndefined();
    await run();
  });
}

test('a transport whose worker begins what it should give back fails', async () => {
  const [first] = conformanceCases({
    ...subject,
    longestMs: 3000,
    fleet: { createWithCapacity: subject.create },
  }).filter(({ name }) => name.startsWith('fleet: '));
  await expect(first?.run()).rejects.toThrow();
});
