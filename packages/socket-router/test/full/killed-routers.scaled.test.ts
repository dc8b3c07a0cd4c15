import { once } from 'node:events';
import { isFullScale, lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { ask, askWorker, oneConnection, open } from '../clients.ts';
import { nextReport, startProgram } from '../programs.ts';
import { socketFolders } from '../socket-folders.ts';

function testKilledRouter(mode: 'socket' | 'passthru'): void {
  test(`mode ${mode}: workers exit when their router is killed, idle or not, and leave nothing`, async () => {
    const program = startProgram('router-program.mjs', [mode, '2']);
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
  });
}

function testWorkersOfCluster(serialization: 'advanced' | 'json'): void {
  test(`workers of node:cluster, serialization ${serialization}, get connections`, async () => {
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
  });
}

testKilledRouter('socket');
testWorkersOfCluster('json');
if (isFullScale()) {
  testKilledRouter('passthru');
  testWorkersOfCluster('advanced');
}
