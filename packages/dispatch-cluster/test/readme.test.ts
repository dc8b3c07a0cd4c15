import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gone } from '@ticketing/test-kit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const root = new URL('../', import.meta.url);
// Not in node_modules, where Node runs no TypeScript.
const folder = new URL('test/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const [server = '', main = ''] = snippets;

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Runs the program beside a server, with two workers in place of four; it says `ready` when it is. */
async function run(name: string, program: string, text = main): Promise<ChildProcess> {
  await writeFile(new URL(`${name}-server.ts`, folder), program);
  const file = new URL(`${name}.ts`, folder);
  const own = text
    .replace('./server.ts', `./${name}-server.ts`)
    .replace('workers: 4', 'workers: 2');
  await writeFile(file, `${own}console.log('ready');\n`);
  const args = ['--conditions=@ticketing/source', fileURLToPath(file)];
  const primary = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  // After a failure it would live on.
  onTestFinished(() => void primary.kill('SIGKILL'));
  return primary;
}

test('README: a server in workers, replaced on SIGHUP, and ended on SIGTERM', {
  timeout: 120_000,
}, async () => {
  const port = await freePort();
  const primary = await run('main', server.replace('8080', String(port)));
  await once(primary.stdout as NodeJS.ReadableStream, 'data');
  // Connections that are kept would have their time to be told of the end.
  const headers = { connection: 'close' };
  const ask = async () => (await fetch(`http://127.0.0.1:${port}`, { headers })).text();
  const answers = await Promise.all([ask(), ask(), ask(), ask()]);
  const pids = answers.map((answer) => Number(/^served by (\d+)\n$/.exec(answer)?.[1]));
  expect(pids.every(Number.isInteger)).toBe(true);
  primary.kill('SIGHUP');
  await Promise.all(pids.map((pid) => gone(pid, 100_000)));
  expect(await ask()).toMatch('served by');
  primary.kill('SIGTERM');
  expect(await once(primary, 'exit')).toEqual([0, null]);
  await expect(ask()).rejects.toThrow('fetch failed');
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'README: %s while workers start ends the program with 0 and without a word',
  { timeout: 120_000 },
  async (signal) => {
    const begun = main.replace('await', "console.log('begun');\nawait");
    const program = server.replace('8080', String(await freePort()));
    const primary = await run(`begun-${signal}`, program, begun);
    let said = '';
    primary.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    await once(primary.stdout as NodeJS.ReadableStream, 'data');
    primary.kill(signal);
    primary.kill(signal);
    expect(await once(primary, 'close')).toEqual([0, null]);
    expect(said).toBe('');
  },
);

test('README: if no worker ever starts the program exits with code 1, and says why', {
  timeout: 120_000,
}, async () => {
  const primary = await run('broken', "throw new Error('no configuration');\n");
  let said = '';
  primary.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  expect(await once(primary, 'close')).toEqual([1, null]);
  expect(said).toContain('ERR_CIRCUIT_OPEN');
  expect(said).toContain('no configuration');
});

test('README begins with the sentence of the package, names every option and event, and has at most 120 lines', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const read = (file: string) => readFile(new URL(`src/${file}.ts`, root), 'utf8');
  expect(readme.startsWith(`# @ticketing/dispatch-cluster\n\n${description}.\n`)).toBe(true);
  expect((await read('index')).startsWith(`// ${description}\n`)).toBe(true);
  const [, options = ''] =
    /interface ClusterOptions {(.*?)\n}/s.exec(await read('cluster-options')) ?? [];
  const [, events = ''] = /interface ClusterEvents {(.*?)\n}/s.exec(await read('supervisor')) ?? [];
  const names = [
    ...options.matchAll(/^ {2,4}readonly (\w+)/gm),
    ...events.matchAll(/^ {2}'([\w-]+)'/gm),
  ];
  expect(names.length).toBeGreaterThan(20);
  for (const [, name] of names) expect(readme).toContain(`\`${name}\``);
  expect(readme.split('\n').length).toBeLessThanOrEqual(121);
  expect(snippets).toHaveLength(2);
});
