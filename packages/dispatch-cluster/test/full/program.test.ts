import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gone } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ask, cli, programOf, run, runPlain } from '../programs.ts';
import { freePort } from '../readme-program.ts';

vi.setConfig({ testTimeout: 120_000 });

test('server.close() of a plain program starts a successor of its worker first', async () => {
  const { url, child, ended, printed } = await runPlain();
  const { pid } = await ask(`${url}/close`);
  await printed('closed by itself');
  await gone(pid, 60_000);
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(url)));
  expect(answers.map((answer) => answer.pid)).not.toContain(pid);
  expect(new Set(answers.map((answer) => answer.pid)).size).toBe(2);
  child.kill('SIGTERM');
  expect(await ended()).toBe(0);
});

test('an application of Fastify on localhost is reloaded without a failed request, on each of its addresses', async () => {
  const port = await freePort();
  const command = run([programOf('fastify.mjs'), '--workers=1', `--port=${port}`]);
  await command.printed('with 1 worker');
  const before = await ask(`http://127.0.0.1:${port}`);
  let isReloaded = false;
  const asked = (async () => {
    let failed = 0;
    while (!isReloaded) {
      await ask(`http://127.0.0.1:${port}`).catch(() => {
        failed += 1;
      });
    }
    return failed;
  })();
  command.child.kill('SIGHUP');
  await gone(before.pid, 60_000);
  isReloaded = true;
  expect(await asked).toBe(0);
  expect((await ask(`http://127.0.0.1:${port}`)).pid).not.toBe(before.pid);
  command.child.kill('SIGTERM');
  expect(await command.ended()).toBe(0);
});

test('a program that calls clusterWorker() is left alone', async () => {
  const port = await freePort();
  const command = run([programOf('cluster-worker.mjs'), '--workers', '1', '--port', String(port)]);
  await command.printed('with 1 worker');
  expect(await ask(`http://127.0.0.1:${port}`)).toEqual({ slot: 0 });
  command.child.kill('SIGTERM');
  expect(await command.ended()).toBe(0);
});

test('--watch reloads a program that was changed, and reports a broken one', async () => {
  const folder = fileURLToPath(new URL('../.readme/program/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'server.mjs');
  const write = (answer: string): void =>
    writeFileSync(
      program,
      `import { createServer } from 'node:http';
      createServer((_, response) => response.end(JSON.stringify({ slot: ${answer} }))).listen(process.env.PORT);`,
    );
  write('1');
  const port = await freePort();
  const command = run([program, '--watch', '--workers', '1', '--port', String(port)]);
  await command.printed('with 1 worker');
  const url = `http://127.0.0.1:${port}`;
  write(';');
  await command.printed('reload failed: ');
  expect(await ask(url)).toEqual({ slot: 1 });
  write('2');
  await vi.waitFor(async () => expect(await ask(url)).toEqual({ slot: 2 }), 60_000);
  expect(command.text()).toMatch(/changed \S*program\/server\.mjs: reloading/);
  command.child.kill('SIGINT');
  expect(await command.ended()).toBe(0);
});

test('--inspect opens an inspector of each worker at a port of its own', async () => {
  const port = await freePort();
  const command = run([
    programOf('fastify.mjs'),
    '--inspect',
    '--workers=2',
    `--port=${port}`,
    '--node-options=--no-warnings --stack-trace-limit=1',
  ]);
  await command.printed('with 2 workers');
  const ports = [...command.text().matchAll(/Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)\//g)];
  expect(new Set(ports.map(([, each]) => each)).size).toBe(2);
  command.child.kill('SIGTERM');
  expect(await command.ended()).toBe(0);
});

test.each<[string, readonly string[], number, string | RegExp]>([
  ['--help', ['--help'], 0, '--max-memory-mb'],
  ['no program', [], 2, 'Cannot start cluster: one program must be given, such as server.js'],
  ['two programs', ['a.js', 'b.js'], 2, 'got a.js b.js; its own arguments follow --'],
  ['a program that does not exist', ['a.js'], 2, 'Cannot start cluster: there is no program a.js'],
  [
    'a wrong value',
    [cli, '--workers', 'all'],
    2,
    "Cannot start cluster: --workers must be auto, or an integer from 1 to 1024, got 'all'",
  ],
  [
    'limits that contradict each other',
    [cli, '--grace-ms=100', '--lame-duck-ms=200'],
    2,
    'Cannot start cluster: `shutdown.lameDuckMs` must be 0 to `graceMs` (100), got 200',
  ],
  [
    'a folder that cannot be watched',
    [cli, '--watch-path=nowhere'],
    2,
    'Cannot start cluster: `watch` must name files and folders that can be watched: ENOENT',
  ],
  [
    'a program without a server',
    [programOf('no-server.mjs'), '--workers=1'],
    1,
    /Cannot start cluster: Workers keep failing: .*no-server\.mjs must let a server listen, or call `clusterWorker`/s,
  ],
  [
    'a program that ignores PORT',
    [programOf('fixed-port.mjs'), '--workers=1', '--port=1'],
    1,
    /fixed-port\.mjs listens on \d+, not on --port 1: it must read `process\.env\.PORT`/,
  ],
])('the command ends at %s', async (_, args, code, text) => {
  const command = run(args);
  expect(await command.ended()).toBe(code);
  if (typeof text === 'string') expect(command.text()).toContain(text);
  else expect(command.text()).toMatch(text);
});
