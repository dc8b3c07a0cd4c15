import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { gone } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { testEarlySignal } from './readme-cases.ts';
import {
  exampleIn,
  freePort,
  job,
  live,
  main,
  readme,
  root,
  server,
  snippets,
} from './readme-program.ts';

const run = exampleIn('served');
// Connections that are kept would have their time to be told of the end.
const headers = { headers: { connection: 'close' } };

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

testEarlySignal(run, 'as it is', 'SIGTERM');

test('README: a job runs on one worker, on its successor when that is killed; the primary says whether it lives', {
  timeout: 120_000,
}, async () => {
  const [port, livePort] = [await freePort(), await freePort()];
  const program = server.replace(
    '{ port: 8080 }',
    `{ port: ${port} }, tasks: new URL('./tasks.ts', import.meta.url)`,
  );
  const tasks = `import { defineTasks } from '@ticketing/dispatch';
    export default defineTasks({ sweep: () => process.pid });`;
  await writeFile(new URL('tasks.ts', run.folder), tasks);
  const often = job.replace('60_000', '50').replace('.catch(report)', '.then(console.log, report)');
  const watched = main.replace('await', `${live.replace('9090', String(livePort))}await`);
  const primary = await run('job', program, `${watched}${often}`);
  let complaints = '';
  primary.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  const lines = createInterface({ input: primary.stdout as NodeJS.ReadableStream });
  const sweeps: number[] = [];
  const sweptBy = async (isWanted: (pid: number) => boolean): Promise<number> => {
    for (;;) {
      const [line] = await once(lines, 'line');
      if (/^\d+$/.test(line)) sweeps.push(Number(line));
      const pid = sweeps.at(-1);
      if (pid !== undefined && isWanted(pid)) return pid;
    }
  };
  const first = await sweptBy(() => sweeps.length >= 5);
  expect(new Set(sweeps)).toEqual(new Set([first]));
  expect(await (await fetch(`http://127.0.0.1:${livePort}`, headers)).text()).toBe('ready');
  process.kill(first, 'SIGKILL');
  const second = await sweptBy((pid) => pid !== first);
  await sweptBy(() => sweeps.length >= 10);
  expect(new Set(sweeps)).toEqual(new Set([first, second]));
  expect((await fetch(`http://127.0.0.1:${livePort}`, headers)).status).toBe(200);
  primary.kill('SIGTERM');
  expect(await once(primary, 'close')).toEqual([0, null]);
  // Jobs that the end cuts off are no failures.
  expect(complaints).toBe('');
});

test('README begins with the sentence of the package, names every option and event, and has at most 120 lines', async () => {
  const { description } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const read = (file: string) => readFile(new URL(`src/${file}.ts`, root), 'utf8');
  expect(readme.startsWith(`# @ticketing/dispatch-cluster\n\n${description}.\n`)).toBe(true);
  expect((await read('index')).startsWith(`// ${description}\n`)).toBe(true);
  const options = [
    ...(await read('cluster-options')).matchAll(/^(?:export )?interface Cluster\w+ {(.*?)\n}/gms),
  ]
    .map(([, text]) => text)
    .join('');
  const [, events = ''] = /interface ClusterEvents {(.*?)\n}/s.exec(await read('supervisor')) ?? [];
  const names = [
    ...options.matchAll(/^ {2}readonly (\w+)/gm),
    ...events.matchAll(/^ {2}'([\w-]+)'/gm),
  ];
  expect(names.length).toBeGreaterThan(28);
  for (const [, name] of names) expect(readme).toContain(`\`${name}\``);
  expect(readme.split('\n').length).toBeLessThanOrEqual(120);
  expect(snippets).toHaveLength(4);
});
