import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ask, oneConnection } from './clients.ts';
import { execArgv } from './worker-processes.ts';

const root = new URL('../', import.meta.url);
const folder = new URL('test/.readme/', root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] as string);

async function runSnippets(name: string): Promise<{ program: ChildProcess; port: number }> {
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true }));
  const [router = '', worker = '', rooms = ''] = snippets;
  const report = `
process.send(port);
process.once('message', async () => { await router.close(); process.disconnect(); });
`;
  const listening = `
await router.ready();
const { port } = await router.listen({ port: 0 });
`;
  const own = (text: string) => text.replace(', 4)', ', 2)').replace('hash % 4', 'hash % 2');
  await writeFile(new URL('router.js', folder), own(router.replace('8080', '0')) + report);
  await writeFile(new URL('rooms.js', folder), own(rooms) + listening + report);
  await writeFile(new URL('worker.js', folder), worker);
  await writeFile(new URL('next.js', folder), worker.replace('`${', '`next ${'));
  const program = fork(new URL(name, folder), { execArgv: [...execArgv] });
  onTestFinished(() => void program.kill('SIGKILL'));
  const [port] = await once(program, 'message');
  return { program, port };
}

test('README: a router and its workers', async () => {
  const { program, port } = await runSnippets('router.js');
  const askAs = async (user: string) => (await ask(port, { headers: { 'x-user': user } })).text;
  expect((await ask(port, { path: '/healthz' })).text).toBe('{"status":"ready"}');
  const first = await askAs('one');
  expect(first).toMatch(/^\d+$/);
  expect([await askAs('one'), await askAs('one')]).toEqual([first, first]);
  // Without the header a connection goes to the worker with the fewest: these stay open.
  const agents = Array.from({ length: 4 }, oneConnection);
  const others = new Set<string>();
  for (const agent of agents) others.add((await ask(port, { agent })).text);
  expect(others.size).toBeGreaterThan(1);
  for (const agent of agents) agent.destroy();
  program.send('close');
  expect(await once(program, 'exit')).toEqual([0, null]);
});

test('README: a room has one process, also after it was killed; some are canaries', async () => {
  const { program, port } = await runSnippets('rooms.js');
  const join = async (room: number) => (await ask(port, { path: `/?room=${room}` })).text;
  const rooms = Array.from({ length: 60 }, (_, room) => room);
  const first = await Promise.all(rooms.map(join));
  const canaries = first.filter((text) => text.startsWith('next '));
  expect(canaries.length).toBeGreaterThan(0);
  expect(canaries.length).toBeLessThan(12);
  // Two in place of four, and the canary.
  expect(new Set(first).size).toBe(3);
  expect(await Promise.all(rooms.map(join))).toEqual(first);
  const killed = first.find((text) => !canaries.includes(text)) as string;
  process.kill(Number(killed), 'SIGKILL');
  const after = await Promise.all(rooms.map(join));
  const successors = new Set(after.filter((_, room) => first[room] === killed));
  expect([successors.size, successors.has(killed)]).toEqual([1, false]);
  expect(after.filter((_, room) => first[room] !== killed)).toEqual(
    first.filter((text) => text !== killed),
  );
  expect((await ask(port)).status).toBe(400);
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
  expect(snippets).toHaveLength(3);
});
