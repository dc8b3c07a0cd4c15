import { afterEach, expect, test, vi } from 'vitest';
import { shareEngine } from '../setup/share-engine.ts';
import { engineProgram, engineUrl } from '../src/engines.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

for (const name of ['nats', 'redis'] as const) {
  const variable = name === 'nats' ? 'TEST_NATS_URL' : 'TEST_REDIS_URL';

  test.skipIf(engineProgram(name) === undefined)(
    `shareEngine('${name}') has a server for all files of a run, and ends it`,
    async () => {
      vi.stubEnv(variable, undefined);
      const end = await shareEngine(name);
      const url = engineUrl(name);
      expect(url).toMatch(new RegExp(`^${name}://127\\.0\\.0\\.1:\\d+$`));
      // Beside it no other is started.
      expect(await shareEngine(name)).toBeUndefined();
      expect(process.env[variable]).toBe(url);
      await end?.();
      expect(process.env[variable]).toBeUndefined();
    },
  );

  test(`shareEngine('${name}') does nothing without the program`, async () => {
    vi.stubEnv(variable, undefined);
    vi.stubEnv('PATH', '/nowhere');
    vi.stubEnv('ENGINE_TESTS', undefined);
    vi.stubEnv(name === 'nats' ? 'NATS_SERVER_BIN' : 'REDIS_SERVER_BIN', undefined);
    vi.spyOn(console, 'log').mockImplementation(() => {});
    // Debian keeps servers in /usr/sbin, which is always looked in.
    if (engineProgram(name) !== undefined) return;
    expect(await shareEngine(name)).toBeUndefined();
    expect(process.env[variable]).toBeUndefined();
  });
}
