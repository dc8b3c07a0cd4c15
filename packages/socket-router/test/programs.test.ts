import { once } from 'node:events';
import { lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, askWorker, oneConnection, open, received } from './clients.ts';
import { nextReport, startProgram } from './programs.ts';
import { socketFolders } from './socket-folders.ts';

test.each(['socket', 'passthru'])(
  'mode %s: workers exit when their router is killed, idle or not, and leave nothing',
  async (mode) => {
    const program = startProgram('router-program.mjs', [mode, '3']);
    const { port, pids } = await nextReport(program);
    expect(pids.every(lives)).toBe(true);
    const agent = oneConnection();
    await ask(port, { agent });
    const busy = await open(port);
    busy.on('error', () => {});
    busy.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(busy, 'data');
    expect(socketFolders()).toHaveLength(1);
    program.kill('SIGKILL');
    await until(() => !pids.some(lives));
    expect(socketFolders()).toEqual([]);
    agent.destroy();
    busy.destroy();
  },
);

test('a worker whose router was killed writes to standard error, and still answers what it has', async () => {
  const program = startProgram('router-program.mjs', ['socket', '1']);
  const { port, pids } = await nextReport(program);
  const socket = await open(port);
  socket.write('GET /write?ms=100 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  // On another connection, when that one is taken.
  expect((await askWorker(port)).stats).toMatchObject({ claimed: 2 });
  program.kill('SIGKILL');
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 /);
  await until(() => !pids.some(lives));
});

test.each(['advanced', 'json'])(
  'workers of node:cluster, serialization %s, get connections',
  async (serialization) => {
    const primary = startProgram('cluster-program.mjs', [serialization]);
    let state = await nextReport(primary);
    while (state.workers.filter((worker) => worker.state === 'ready').length < 2) {
      state = await nextReport(primary);
    }
    expect(state.workers.map(({ slot }) => slot).sort()).toEqual(['0', '1']);
    const body = Buffer.alloc(300_000, 'b');
    const seen = new Set<number>();
    const [agent, second] = [oneConnection(), oneConnection()];
    for (const one of [agent, second]) {
      const answer = await askWorker(state.port, { method: 'POST', body, agent: one });
      expect(answer.bytes).toBe(body.length);
      seen.add(answer.pid);
    }
    expect(seen).toEqual(new Set(state.workers.map(({ pid }) => pid)));
    agent.destroy();
    second.destroy();
    const lost = state.workers.find(({ slot }) => slot === '0')?.pid ?? Number.NaN;
    process.kill(lost, 'SIGKILL');
    do state = await nextReport(primary);
    while (state.workers.filter((worker) => worker.state === 'ready').length < 2);
    expect(state.workers.map(({ slot }) => slot).sort()).toEqual(['0', '1']);
    expect(state.workers.map(({ pid }) => pid)).not.toContain(lost);
    primary.send('close');
    // Those that it did not start the router leaves alone.
    expect(await nextReport(primary)).toEqual({ left: 2 });
    await once(primary, 'exit');
    expect(state.workers.map(({ pid }) => pid).filter(lives)).toEqual([]);
  },
);

test('a program that forks itself as its workers: the second level ends, and its error names the cure', async () => {
  const [report] = await once(startProgram('self-program.mjs', []), 'message');
  expect(report).toEqual({
    code: 'ERR_CIRCUIT_OPEN',
    message:
      'Workers keep failing to start: TypeError: Cannot fork workers: this program was started as a worker of the same `module`, and its own workers would start more without end; keep the program of the workers in a separate file',
  });
});

test('forkWorkers of a program with --inspect: each worker has a port of its own, which a channel of diagnostics names', async () => {
  const program = startProgram('inspected-program.mjs', []);
  const [{ own, urls }] = (await once(program, 'message')) as [{ own: string; urls: string[] }];
  const ports = [own, ...urls].map((url) => new URL(url).port);
  expect(new Set(ports).size).toBe(3);
});
