import { expect, test, vi } from 'vitest';
import { checkPoolsAfterEach, createPool, turn } from '../kernel-fixture.ts';

checkPoolsAfterEach();

test('the report of a worker is in stats(), and in the events of observers', async () => {
  const { pool, transport, ready, dispatcher } = createPool();
  const observer = { ready: vi.fn(), exit: vi.fn(), circuitOpen: vi.fn() };
  pool.observe(observer);
  await ready();
  expect(observer.ready).toHaveBeenCalledWith({
    workerId: 1,
    slot: 0,
    pid: 9001,
    report: undefined,
  });
  transport.at(0).emit({ kind: 'report', data: { requests: 1 }, worked: true });
  transport.at(0).emit({ kind: 'report', data: { requests: 2 }, worked: true });
  expect(dispatcher.stats().workers).toMatchObject([{ report: { requests: 2 } }]);
  transport.at(0).exit({ exitCode: 3 });
  expect(observer.exit).toHaveBeenCalledWith(
    { workerId: 1, slot: 0, pid: 9001, report: { requests: 2 } },
    { exitCode: 3, signal: undefined, stderrTail: '' },
  );
  transport.at(1).startFailed('no', true);
  expect(observer.circuitOpen).toHaveBeenCalledExactlyOnceWith('no');
});

test('a worker that has reported work is replaced at once when it ends, and its end is no failure', async () => {
  const { transport, ready, dispatcher } = createPool({ restart: { maxFailures: 0 } });
  for (let round = 0; round < 5; round++) {
    await ready();
    transport.at(-1).emit({ kind: 'report', data: round, worked: true });
    transport.at(-1).exit({ signal: 'SIGKILL' });
    expect(transport.workers).toHaveLength(round + 2);
  }
  expect(dispatcher.stats()).toMatchObject({ circuit: 'closed', lost: 5 });
});

test('a report without work proves nothing', async () => {
  const { transport, ready, dispatcher } = createPool({ restart: { maxFailures: 0 } });
  await ready();
  transport.at(0).emit({ kind: 'report', data: 0, worked: false });
  transport.at(0).exit({ exitCode: 1 });
  expect(dispatcher.stats().circuit).toBe('open');
});

test('a worker that asks for it is replaced, replacement first', async () => {
  const { transport, ready, run, dispatcher } = createPool();
  await ready();
  run(0);
  await turn();
  transport.at(0).emit({ kind: 'recycle' });
  transport.at(0).emit({ kind: 'recycle' });
  expect(transport.workers).toHaveLength(2);
  await ready();
  expect(transport.at(0).count('stop')).toBe(0);
  transport.at(0).answer(1);
  expect(transport.at(0).count('stop')).toBe(1);
  expect(dispatcher.stats()).toMatchObject({ recycled: 1, lost: 0, spawned: 2 });
});

test('a worker that asked for a successor which did not start is replaced later', async () => {
  const { transport, ready, clock } = createPool({ healthMs: 1000 });
  await ready();
  transport.at(0).emit({ kind: 'recycle' });
  transport.at(1).startFailed('no');
  await turn();
  clock.advance(1000);
  expect(transport.workers).toHaveLength(3);
  await ready();
  expect(transport.at(0).count('stop')).toBe(1);
});

test('a worker has stopGraceMs to stop, however short the grace of an aborted task is', async () => {
  const { transport, ready, clock, dispatcher } = createPool({ abortGraceMs: 0, stopGraceMs: 500 });
  await ready();
  const reload = dispatcher.reload();
  await ready();
  await reload;
  clock.advance(499);
  expect(transport.at(0).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(0).kills).toBe(1);
  transport.at(0).exit({ signal: 'SIGKILL' });
  const closed = dispatcher.close();
  clock.advance(499);
  expect(transport.at(1).kills).toBe(0);
  clock.advance(1);
  expect(transport.at(1).kills).toBe(1);
  transport.at(1).exit({ signal: 'SIGKILL' });
  await closed;
});
