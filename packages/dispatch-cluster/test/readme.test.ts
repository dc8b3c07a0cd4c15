import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { gone } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import {
  exampleIn,
  freePort,
  headers,
  main,
  metrics,
  readme,
  root,
  server,
  snippets,
} from './readme-program.ts';

const run = exampleIn('served');

test('README: a server in workers, replaced on SIGHUP, and ended on SIGTERM', {
  timeout: 120_000,
}, async () => {
  const port = await freePort();
  const primary = await run('main', server.replace('8080', String(port)));
  await once(primary.stdout as NodeJS.ReadableStream, 'data');
  const ask = async () => (await fetch(`http://127.0.0.1:${port}`, headers)).text();
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

test('README: the metrics of all workers are one text', { timeout: 120_000 }, async () => {
  const port = await freePort();
  const program = `import { Counter, register } from 'prom-client';
    new Counter({ name: 'starts_total', help: 'Starts' }).inc();
    ${server.replace('8080 }', `${port} }, metrics: register`)}`;
  const report = 'console.log(text);\nawait metrics.close();\n';
  const primary = await run('measured', program, `${main}${metrics}${report}`);
  let said = '';
  for await (const chunk of primary.stdout as NodeJS.ReadableStream) {
    said += chunk;
    if (said.endsWith('ready\n')) primary.kill('SIGTERM');
  }
  expect(said).toContain('starts_total 2\n');
});

test('README begins with the sentence of the package, and has at most 900 words; the reference has every option and event', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const read = (file: string) => readFile(new URL(`src/${file}.ts`, root), 'utf8');
  expect(readme.startsWith(`# @ticketing/dispatch-cluster\n\n${description}.\n`)).toBe(true);
  expect((await read('index')).startsWith(`// ${description}\n`)).toBe(true);
  const options = [
    ...`${await read('cluster-options')}${await read('shutdown-options')}${await read('worker/worker-options')}${await read('metrics/cluster-metrics')}`.matchAll(
      /^(?:export )?interface Cluster\w+ (?:extends \w+ )?{(.*?)\n}/gms,
    ),
  ]
    .map(([, text]) => text)
    .join('');
  const [, events = ''] = /interface ClusterEvents {(.*?)\n}/s.exec(await read('supervisor')) ?? [];
  const names = [
    ...options.matchAll(/^ {2}readonly (\w+)/gm),
    ...events.matchAll(/^ {2}'([\w-]+)'/gm),
    ...(await read('program/command')).matchAll(/^ {4}name: '([\w-]+)'/gm),
  ];
  expect(names.length).toBeGreaterThan(28);
  const reference = await readFile(
    new URL('../../docs/reference/dispatch-cluster.md', root),
    'utf8',
  );
  for (const [, name] of names) expect(reference).toMatch(new RegExp(`[.\`](?:--)?${name}\``));
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900);
  expect(snippets).toHaveLength(5);
});
