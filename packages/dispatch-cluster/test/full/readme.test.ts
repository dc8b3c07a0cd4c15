import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { exampleIn, freePort, headers, job, live, main, server } from '../readme-program.ts';

const run = exampleIn('full');

const programs = {
  'as it is': main,
  'with a handler of its own, which closes': main
    .replace(', signals: true', '')
    .replace('await', "process.once('SIGTERM', () => supervisor.close());\nawait"),
};

/** Tests the end of the README's program by an early signal. */
function testEarlySignal(name: keyof typeof programs, signal: 'SIGTERM' | 'SIGINT'): void {
  test(`README: the program ${name} ends with 0 and without a word on ${signal} while workers start`, {
    timeout: 120_000,
  }, async () => {
    const program = server.replace('8080', String(await freePort()));
    // No worker can be ready so soon.
    const after = `setTimeout(() => process.kill(process.pid, '${signal}'), 50);\nawait`;
    const primary = await run('stopped', program, programs[name].replace('await', after));
    let said = '';
    primary.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    expect(await once(primary, 'close')).toEqual([0, null]);
    expect(said).toBe('');
  });
}

testEarlySignal('as it is', 'SIGINT');
testEarlySignal('with a handler of its own, which closes', 'SIGTERM');

test('README: if no worker ever starts, the program exits with code 1 and the reason', {
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

test('README: the health check of the primary is 503 when no worker can start', {
  timeout: 120_000,
}, async () => {
  const livePort = await freePort();
  const failed = `await supervisor.ready().catch(() => console.log('failed'));`;
  const watched = main.replace(
    'await supervisor.ready();',
    `${live.replace('9090', String(livePort))}${failed}`,
  );
  const primary = await run('dead', "throw new Error('no configuration');\n", watched);
  await once(primary.stdout as NodeJS.ReadableStream, 'data');
  const { status } = await fetch(`http://127.0.0.1:${livePort}`);
  expect(status).toBe(503);
  primary.kill('SIGTERM');
  expect(await once(primary, 'exit')).toEqual([0, null]);
});

testEarlySignal('as it is', 'SIGTERM');

test('README: a job runs on one worker, on its successor when that is killed; the primary reports its health', {
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
