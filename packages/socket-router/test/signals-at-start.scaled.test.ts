import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isFullScale, lives } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { execArgv, runsSources } from './worker-processes.ts';

const root = new URL('../', import.meta.url);
/** Files of the same cases run at the same time. */
const folder = new URL(`test/.started/signals-${process.pid}/`, root);
const readme = await readFile(new URL('README.md', root), 'utf8');
const [router = '', worker = ''] = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, text]) => text as string,
);

const cluster = `../../../../dispatch-cluster/${runsSources ? 'src/index.ts' : 'dist/index.js'}`;
/** The README's program, whose workers a cluster starts: `startCluster` in the place of `forkWorkers`. */
const clusterRouter = `import { startCluster } from '${cluster}';\n${router.replace(
  /forkWorkers\((.*), 4\)/,
  "startCluster({ entry: $1, workers: 2, connections: 'external' })",
)}`;
const clusterWorkers = `import { createServer } from 'node:http';
import { attachServer } from '@ticketing/socket-router';
import { clusterWorker } from '${cluster}';
clusterWorker({ server: createServer(), attach: attachServer });
`;

/** Runs a program beside its worker, with a port of its own; returns it, and what it and its workers write to standard error. */
async function start(program: string, workers: string): Promise<[ChildProcess, () => string]> {
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    new URL('router.js', folder),
    program.replace('8080', '0').replace(', 4)', ', 2)'),
  );
  await writeFile(new URL('worker.js', folder), workers);
  const started = fork(new URL('router.js', folder), {
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  let text = '';
  started.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  return [started, () => text];
}

const report = `router.on('worker-ready', ({ pid }) => process.send(pid));\n`;
const signal = `process.kill(process.pid, 'SIGTERM');\n`;
const received = `await new Promise((resolve) => process.once('SIGTERM', resolve));\n`;
const listen = 'const { port } =';

/** Moments at which a program gets SIGTERM. */
const moments = {
  'before a worker serves': (text: string) => text.replace('await router.ready', `${signal}$&`),
  'when the first worker serves': (text: string) =>
    text.replace('await router.ready', `router.on('worker-ready', () => {${signal}});\n$&`),
  'between ready() and listen()': (text: string) =>
    text.replace(listen, `setImmediate(() => {${signal}});\n${received}$&`),
  'after its end, before listen()': (text: string) =>
    text.replace(listen, `setImmediate(() => {${signal}});\n${received}await router.close();\n$&`),
  'during listen()': (text: string) => text.replace(listen, `${signal}$&`),
  'in the turn in which listen() is called': (text: string) =>
    text.replace(/await (router\.listen.*);/, `await [$1, process.emit('SIGTERM')][0];`),
  'when it listens': (text: string) => `${text}${signal}`,
};

type Moment = keyof typeof moments;

const programs = {
  forkWorkers: [router, worker],
  startCluster: [clusterRouter, clusterWorkers],
} as const;

function testSignalAtStart(name: keyof typeof programs, moment: Moment): void {
  test(`README: the program with ${name} ends with 0 and without a word on SIGTERM ${moment}`, async () => {
    const [program, workers] = programs[name];
    const signalled = moments[moment](program.replace('await router.ready', `${report}$&`));
    expect(signalled).toContain('SIGTERM');
    const [started, written] = await start(signalled, workers);
    const pids: number[] = [];
    started.on('message', (pid) => pids.push(Number(pid)));
    // Its channel to this process does not hold it, as long as nothing is received.
    expect(await once(started, 'close')).toEqual([0, null]);
    expect(written()).toBe('');
    expect(pids.filter(lives)).toEqual([]);
  });
}

testSignalAtStart('forkWorkers', 'before a worker serves');
if (isFullScale()) {
  for (const moment of Object.keys(moments) as Moment[]) {
    if (moment !== 'before a worker serves') testSignalAtStart('forkWorkers', moment);
    testSignalAtStart('startCluster', moment);
  }
}
