import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  type EngineName,
  type EngineOptions,
  type EngineServer,
  engineProgram,
  engineUrl,
  startEngine,
} from '../src/engines.ts';
import { gone, lives, until } from '../src/until.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function started(name: EngineName, options?: EngineOptions): Promise<EngineServer> {
  const server = await startEngine(name, options);
  onTestFinished(server.close);
  return server;
}

for (const name of ['nats', 'redis'] as const) {
  const it = test.skipIf(engineProgram(name) === undefined);
  const folders = () => readdirSync(tmpdir()).filter((folder) => folder.startsWith(`${name}-`));

  it(`startEngine('${name}') starts a server that is killed and comes again on its port`, async () => {
    const server = await startEngine(name);
    const { pid, url } = server;
    expect(url).toBe(`${name}://127.0.0.1:${server.port}`);
    const before = await server.connections();
    // A client of another test may look on this port for a server that it has lost.
    expect(await server.connections()).toBeGreaterThan(before);

    await server.stop();
    expect(server.pid).toBeUndefined();
    await expect(server.connections()).rejects.toThrow('it does not answer');
    await server.start();
    expect(await server.connections()).toBeGreaterThan(0);
    expect(server.pid).not.toBe(pid);
    expect(server.url).toBe(url);

    const second = server.pid ?? 0;
    await server.close();
    await server.close();
    for (const each of [pid ?? 0, second]) expect(lives(each)).toBe(false);
  });

  it(`startEngine('${name}') ends a server that is stopped, and leaves no folder`, async () => {
    const server = await startEngine(name);
    const before = folders();
    server.signal('SIGSTOP');
    const pid = server.pid ?? 0;
    await server.close();
    await gone(pid, 10_000);
    expect(folders().length).toBeLessThan(before.length);
  });

  it(`startEngine('${name}') on a taken port says so`, async () => {
    const { port } = await started(name);
    await expect(startEngine(name, { port })).rejects.toThrow(/Cannot start .*-server.*in use/s);
  });

  test(`startEngine('${name}') without its program names the variable`, async () => {
    vi.stubEnv('PATH', '/nowhere');
    const variable = `${name.toUpperCase()}_SERVER_BIN`;
    vi.stubEnv(variable, '/nowhere/server');
    await expect(startEngine(name)).rejects.toThrow('Cannot start /nowhere/server');
  });

  test(`engineUrl('${name}') is undefined with one line, and fails with ENGINE_TESTS=required`, () => {
    vi.stubEnv('ENGINE_TESTS', '');
    const variable = `TEST_${name.toUpperCase()}_URL`;
    vi.stubEnv(variable, `${name}://there`);
    expect(engineUrl(name)).toBe(`${name}://there`);
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    vi.stubEnv(variable, '');
    expect(engineUrl(name)).toBeUndefined();
    expect(log.mock.calls).toEqual([
      [`skipped tests with ${name}: needs ${variable}, see scripts/with-engines.mjs`],
    ]);
    vi.stubEnv('ENGINE_TESTS', 'required');
    expect(() => engineUrl(name)).toThrow(`Cannot test with ${name}: needs ${variable}`);
  });
}

test.skipIf(engineProgram('nats') === undefined)(
  'startNatsServer() reads a configuration, and reads it again',
  async () => {
    const server = await started('nats', {
      config: 'max_payload: 2048',
      args: ['--auth', 'secret'],
    });
    const info = async () => {
      const socket = connect(server.port, '127.0.0.1');
      for await (const bytes of socket) return String(bytes);
      return '';
    };
    expect(await info()).toMatch(/"auth_required":true.*"max_payload":2048/);
    server.reload('max_payload: 4096');
    await until(async () => (await info()).includes('"max_payload":4096'), 'the new configuration');
  },
);
