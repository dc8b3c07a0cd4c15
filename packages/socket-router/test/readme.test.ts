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

test('README begins with the sentence of the package, and has at most 900 words; the reference has every option, event and error code', async () => {
  const read = (path: string) => readFile(new URL(path, root), 'utf8');
  const { description } = JSON.parse(await read('package.json'));
  expect(readme.startsWith(`# @ticketing/socket-router\n\n${description}.\n`)).toBe(true);
  expect((await read('src/index.ts')).startsWith(`// ${description}\n`)).toBe(true);
  const reference = await read('../../docs/reference/socket-router.md');
  const named = async (path: string, pattern: RegExp): Promise<string[]> =>
    [...(await read(path)).matchAll(pattern)].map(([found, name = found]) => name);
  const options = [
    ...(await named('src/options/router-options.ts', /^ {2}readonly (\w+)\?: /gm)),
    ...(await named('src/source/fork-workers.ts', /^ {2}readonly (\w+)\?: /gm)),
    ...(await named('src/options/attach-options.ts', /^ {2}readonly (\w+)\?: /gm)),
    ...(await named('src/contract/leave-options.ts', /^ {2}readonly (\w+)\?: /gm)),
  ];
  const events = await named('src/contract/socket-router.ts', /^ {2}'?([\w-]+)'?: \w+Message;/gm);
  const codes = await named('src/errors.ts', /'(ERR_[A-Z_]+)'/g);
  expect([options.length, events.length, new Set(codes).size]).toEqual([31, 7, 5]);
  for (const name of [...options, ...events, ...codes])
    expect(reference).toMatch(new RegExp(`[.\`\\s]${name}[\`\\s,]`));
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
  expect(snippets).toHaveLength(3);
});
