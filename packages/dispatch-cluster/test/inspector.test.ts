import { setImmediate } from 'node:timers/promises';
import { createManualClock, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { addressOf, ask, checkClustersAfterEach, start } from './cluster-fixture.ts';
import { attachDebugger, inspectorsOn } from './debugger.ts';
import type { Tasks } from './fixtures/server.ts';

checkClustersAfterEach();

/** Gives this process the Node options of one that was started with `--inspect`. */
function inspected(): void {
  const kept = process.execArgv;
  process.execArgv = ['--inspect=127.0.0.1:9229', '--no-warnings'];
  onTestFinished(() => {
    process.execArgv = kept;
  });
}

test('with --inspect each worker has an inspector at a port of its own, which an event names', async () => {
  inspected();
  const open = inspectorsOn('ticketing:dispatch:inspector-open');
  const supervisor = start({ workers: 2, output: 'ignore' });
  await supervisor.ready();
  await until(() => open.length === 2);
  const ports = open.map(({ url }) => new URL(url).port);
  expect(new Set([...ports, '9229']).size).toBe(3);
  const pids = supervisor.workers.map(({ pid }) => pid);
  expect(open.map(({ pid }) => pid).sort()).toEqual(pids.sort());
});

test('a worker at a breakpoint for a minute stays alive: no check of its health, its tasks or its connections ends it', async () => {
  inspected();
  const clock = createManualClock();
  const open = inspectorsOn('ticketing:dispatch:inspector-open');
  const supervisor = start({ clock, output: 'ignore', dispatch: { abortGraceMs: 100 } });
  await supervisor.ready();
  await until(() => open.length === 1);
  const url = await addressOf(supervisor);
  const { pid } = await ask(url);
  const debug = await attachDebugger(open[0]?.url ?? '');
  await debug.pause();
  const dispatcher = supervisor.dispatcher<Tasks>();
  const late = dispatcher.run('pid', undefined, { timeoutMs: 1000 });
  const refused = expect(late).rejects.toMatchObject({ code: 'ERR_TIMEOUT' });
  for (let second = 0; second < 60; second += 1) {
    clock.advance(1000);
    // Runs after the messages that have already arrived.
    await setImmediate();
    await setImmediate();
  }
  await refused;
  await debug.resume();
  expect(await ask(url)).toMatchObject({ pid });
  expect(supervisor.stats().dispatcher).toMatchObject({ spawned: 1, killed: 0, recycled: 0 });
  debug.detach();
});
