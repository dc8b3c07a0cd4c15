import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { getFrom, temporaryFolder } from '../demo.ts';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));

let folder: string;

/** Makes a folder for the tests of a file, with what the build writes and the installed packages, but no source. */
function useBuiltFolder(): void {
  let remove = (): void => {};
  beforeAll(() => {
    folder = temporaryFolder((end) => {
      remove = () => void end();
    });
    cpSync(fileURLToPath(inject('programs')), join(folder, 'dist'), { recursive: true });
    symlinkSync(join(packageFolder, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => remove());
}

/** Starts a program and resolves when its output matches. */
async function startBuilt(args: readonly string[], ready: RegExp) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], DEADLINE_MS: '10000', WORMS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  let output = '';
  child.stderr.on('data', (data) => {
    output += data;
  });
  const started = new Promise<void>((resolve) => {
    child.stdout.on('data', (data) => {
      output += data;
      if (ready.test(output)) resolve();
    });
  });
  await Promise.race([started, exit]);
  return { child, exit, output: () => output };
}

/** Proves that the build serves where there is no source. */
function testBuilt(accept: string): void {
  test(`the script \`start\` of the manifest serves without the sources, --accept ${accept}: searches, a page and its script`, async () => {
    const [program, ...args] = (manifest.scripts.start as string).split(' ');
    expect(program).toBe('node');
    const flags = ['--port', '0', '--accept', accept, '--dispatch', 'fork'];
    flags.push('--dispatch-workers', '1', ...(accept === 'single' ? [] : ['--workers', '1']));
    const { child, exit, output } = await startBuilt([...args, ...flags], /^processes /m);
    const [, url = output()] = /^ticketing +(http\S+)\//m.exec(output()) ?? [];
    // Between them every carrier has trains.
    for (const route of [
      'origin=Madrid&destination=Barcelona',
      'origin=London&destination=Paris',
    ]) {
      const { body } = await getFrom(`${url}/search?${route}`);
      expect(body).toMatchObject({ complete: true });
      expect(body.journeys.length).toBeGreaterThan(0);
    }
    const page = await getFrom(`${url}/`, { headers: { accept: 'text/html' } });
    const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(page.body) ?? [];
    expect((await getFrom(url + script)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });
}

useBuiltFolder();
testBuilt('single');
testBuilt('cluster');

test('each file of the build can be read as a module', async () => {
  const files = readdirSync(join(folder, 'dist')).filter((file) => file.endsWith('.js'));
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const child = spawn(process.execPath, ['--check', join(folder, 'dist', file)]);
    expect([file, ...(await once(child, 'exit'))]).toEqual([file, 0, null]);
  }
});

test('the built host has its own help, without the sources', async () => {
  const { exit, output } = await startBuilt(['dist/host.js', '--help'], /--nats-url/);
  expect(await exit).toEqual([0, null]);
  expect(output()).toContain('--nats-url');
});
