import { isFullScale, lives, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createSocketRouter } from '../../src/index.ts';
import { ask, askWorker, oneConnection, open, received } from '../clients.ts';
import { openRouter } from '../router-fixture.ts';
import { forked } from '../worker-processes.ts';

type Mode = 'socket' | 'passthru';

function testCloseWithRequests(mode: Mode): void {
  test(`mode ${mode}: close() lets requests finish, and accepts no new connection`, async () => {
    const { port, router, pids } = await openRouter({ mode, own: true });
    const agent = oneConnection();
    const [idle] = [await askWorker(port, { agent })];
    const answers = [1, 2, 3].map(() =>
      ask(port, { path: '/later?ms=300', headers: { connection: 'keep-alive' } }),
    );
    await until(() => router.stats().handedOver >= 4);
    const processes = pids();
    const closed = router.close({ graceMs: 5000, lameDuckMs: 0 });
    await expect(open(port)).rejects.toThrow('ECONNREFUSED');
    const finished = await Promise.all(answers);
    expect(finished.map(({ status }) => status)).toEqual([200, 200, 200]);
    await closed;
    expect(idle?.pid).toBeDefined();
    expect(router.stats()).toMatchObject({ state: 'closed', workers: [] });
    expect(processes.filter(lives)).toEqual([]);
    agent.destroy();
  });
}

function testCloseAfterGrace(mode: Mode): void {
  test(`mode ${mode}: close() cuts off what is not finished after the grace`, async () => {
    const { port, router, pids } = await openRouter({ mode, own: true, count: 1 });
    const socket = await open(port);
    const end = received(socket).catch(() => 'reset');
    socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => router.stats().handedOver >= 1);
    const processes = pids();
    await router.close({ graceMs: 200 });
    await end;
    expect(processes.filter(lives)).toEqual([]);
  });
}

function testCloseBeforePort(mode: Mode): void {
  test(`mode ${mode}: close() while listen() begins leaves no server listening`, async () => {
    const router = createSocketRouter({ mode, workers: forked('http-worker', 1) });
    const listening = router.listen({ port: 0 });
    const closed = router.close();
    await expect(listening).rejects.toMatchObject({ code: 'ERR_STATE' });
    await closed;
  });
}

testCloseWithRequests('socket');
testCloseAfterGrace('passthru');
testCloseBeforePort('socket');
if (isFullScale()) {
  testCloseWithRequests('passthru');
  testCloseAfterGrace('socket');
  testCloseBeforePort('passthru');
}
