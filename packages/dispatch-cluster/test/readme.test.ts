import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { gone } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { exampleIn, freePort, main, readme, root, server, snippets } from './readme-program.ts';

const run = exampleIn('served');

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

const ownHandler = main
  .replace(', signals: true', '')
  .replace('await', "process.once('SIGTERM', () => supervisor.close());\nawait");

test.each([
  ['as it is', main, 'SIGTERM'],
  ['as it is', main, 'SIGINT'],
  ['with a handler of its own, which closes', ownHandler, 'SIGTERM'],
] as const)(
  'README: the program %s ends with 0 and without a word on a signal while workers start',
  { timeout: 120_000 },
  async (_, text, signal) => {
    const program = server.replace('8080', String(await freePort()));
    // No worker can be ready so soon.
    const after = `setTimeout(() => process.kill(process.pid, '${signal}'), 50);\nawait`;
    const primary = await run('stopped', program, text.replace('await', after));
    let said = '';
    primary.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    expect(await once(primary, 'close')).toEqual([0, null]);
    expect(said).toBe('');
  },
);

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
