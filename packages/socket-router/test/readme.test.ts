import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ask, oneConnection } from './clients.ts';
import { readme, root, runSnippets, snippets } from './readme-program.ts';

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
