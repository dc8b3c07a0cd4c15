import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ask } from './clients.ts';
import { execArgv } from './worker-processes.ts';

const root = new URL('../', import.meta.url);
const folder = new URL('test/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

async function runSnippets(): Promise<{ program: ChildProcess; port: number }> {
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true }));
  const [router = '', worker = ''] = snippets;
  const report = `
const isReady = () => router.stats().workers.every(({ state }) => state === 'ready');
while (!isReady()) await new Promise((resolve) => router.on('worker-ready', resolve));
process.send(port);
process.once('message', async () => { await router.close(); process.disconnect(); });
`;
  await writeFile(new URL('router.js', folder), router.replace('8080', '0') + report);
  await writeFile(new URL('worker.js', folder), worker);
  const program = fork(new URL('router.js', folder), { execArgv: [...execArgv] });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [port] = await once(program, 'message');
  return { program, port };
}

test('README: a router and its workers', async () => {
  const { program, port } = await runSnippets();
  const askAs = async (user: string) => (await ask(port, { headers: { 'x-user': user } })).text;
  const first = await askAs('one');
  expect(first).toMatch(/^\d+$/);
  expect([await askAs('one'), await askAs('one')]).toEqual([first, first]);
  program.send('close');
  expect(await once(program, 'exit')).toEqual([0, null]);
});

test('README begins with the sentence of the package, has every option, event and error code, and at most 120 lines', async () => {
  const read = (path: string) => readFile(new URL(path, root), 'utf8');
  const { description } = JSON.parse(await read('package.json'));
  expect(readme.startsWith(`# @ticketing/socket-router\n\n${description}.\n`)).toBe(true);
  expect((await read('src/index.ts')).startsWith(`// ${description}\n`)).toBe(true);
  for (const [code] of (await read('src/errors.ts')).matchAll(/ERR_[A-Z_]+/g)) {
    expect(readme).toContain(code);
  }
  const options = await read('src/options/router-options.ts');
  const limits = options.slice(options.indexOf('interface RouterLimits'));
  for (const [, name] of limits.matchAll(/readonly (\w+)\?: number/g)) {
    expect(readme).toContain(`\`limits.${name}\``);
  }
  for (const [, event] of (await read('src/contract/socket-router.ts')).matchAll(
    /^ {2}'?([\w-]+)'?: (?:\{|WorkerEvent)/gm,
  )) {
    expect(readme).toContain(`\`${event}\``);
  }
  expect(readme.split('\n').length).toBeLessThanOrEqual(121);
  expect(snippets).toHaveLength(2);
});
