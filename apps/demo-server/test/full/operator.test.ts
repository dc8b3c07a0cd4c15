import { lives } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import type { OperatorView } from '../../src/figures/view-schema.ts';
import { ACCEPTS } from '../../src/flags/flag-specs.ts';
import { addSample, emptyHistory, LEAST_MS } from '../../src/trends/sample.ts';
import { eventually, serveDemoBy, startDemo } from '../demo.ts';
import { askAsPage, eventsIn, stateOf, viewsIn } from '../operator-views.ts';

test('a reload replaces the task workers', async () => {
  const demo = await serveDemoBy(
    Date.now,
    ...['--latency', '0', '--dispatch', 'fork', '--dispatch-workers', '1'],
  );
  const before = (await stateOf(demo)).processes[1]?.pid;
  expect((await askAsPage(demo, 'POST', '/operator/reload', {})).status).toBe(202);
  await eventually(async () => {
    const { processes } = await stateOf(demo);
    expect(processes.map(({ state }) => state)).toEqual(['ready', 'ready']);
    expect(processes[1]?.pid).not.toBe(before);
  });
});

test.each(ACCEPTS)(
  '--accept %s: who follows the views when the server stops is not cut off, and holds nothing up',
  async (accept) => {
    const several = accept === 'single' ? [] : ['--workers', '2'];
    // As long a deadline as a server would wait for requests in flight.
    const demo = await startDemo(['--accept', accept, ...several, '--deadline-ms', '600000']);
    const { body } = await fetch(`${demo.url}/operator/events`);
    let received = '';
    let begin = (): void => {};
    const first = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const whole = (async () => {
      // A connection that is cut rejects.
      for await (const bytes of body ?? []) {
        received += Buffer.from(bytes).toString();
        begin();
      }
    })();
    await first;
    demo.child.kill('SIGTERM');
    await whole;
    expect(received).toMatch(/^retry: 1000\nevent: history\ndata: \{/);
    expect(received.endsWith('\n\n')).toBe(true);
    expect(await demo.exit()).toBe(0);
    expect(demo.errors()).not.toContain('SIGKILL');
  },
);

/** A process is replaced when it has hung for five seconds; the clock of this test may lag a little. */
const REPLACED_MS = 4500;
/** On a busy machine a view may come later than that. */
const TIMES = 5;

test.each(['cluster', 'socket', 'passthru'])(
  '--accept %s: a process that hangs is silent, not absent, and ready when it goes on',
  async (accept) => {
    const demo = await startDemo(['--accept', accept, '--workers', '2', '--latency', '0']);
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const { signal } = leaving;
    const { body, headers } = await fetch(`${demo.url}/operator/events`, { signal });
    const serving = Number(headers.get('x-worker'));
    type Row = OperatorView['processes'][number];
    const views = viewsIn(body);
    /** Follows the views until one has the process in a state; undefined if the process has gone. */
    async function see(pid: number, state: string): Promise<Row | undefined> {
      for (;;) {
        const next = await views.next();
        if (next.done) throw new Error(`The views ended before process ${pid} was ${state}`);
        const row = next.value.processes.find((one) => one.pid === pid);
        if (row === undefined || row.state === state) return row;
      }
    }
    /** Stops the other process until a view says so. Undefined if it was replaced meanwhile, which one that hangs is after five seconds, and not before. */
    async function hang(): Promise<{ id: string; silent: Row; ready: Row } | undefined> {
      const all = (await stateOf(demo)).processes;
      const other = all.find(
        ({ kind, pid, state }) => kind === 'server' && pid !== serving && state === 'ready',
      );
      if (other?.pid === undefined) return undefined;
      const { id, pid } = other;
      try {
        const stoppedAt = performance.now();
        process.kill(pid, 'SIGSTOP');
        const silent = await see(pid, 'silent');
        if (silent === undefined)
          expect(performance.now() - stoppedAt).toBeGreaterThan(REPLACED_MS);
        process.kill(pid, 'SIGCONT');
        const ready = silent && (await see(pid, 'ready'));
        return ready && { id, silent, ready };
      } finally {
        if (lives(pid)) process.kill(pid, 'SIGCONT');
      }
    }
    let seen = await hang();
    for (let time = 1; seen === undefined && time < TIMES; time += 1) seen = await hang();
    if (seen === undefined) throw new Error(`No view had a silent process in ${TIMES} times`);
    expect(seen.silent).toMatchObject({ id: seen.id, kind: 'server' });
    expect(seen.silent).not.toHaveProperty('loopP99Ms');
    expect(seen.ready).toMatchObject({ id: seen.id, loopP99Ms: expect.any(Number) });
  },
);

test('a history goes on when the server process is replaced that one is connected to', async () => {
  const demo = await startDemo(['--accept', 'socket', '--workers', '2', '--latency', '0']);
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const { signal } = leaving;
  const connect = async () => {
    const { body, headers } = await fetch(`${demo.url}/operator/events`, { signal });
    return { serving: Number(headers.get('x-worker')), events: eventsIn(body) };
  };
  const first = await connect();
  let seen = emptyHistory;
  // The history, then views. Two that a busy machine makes at nearly the same time are one sample.
  while (seen.at.length < 4) {
    const { value } = await first.events.next();
    if (value?.event === 'history') seen = value.data;
    if (value?.event === 'view') seen = addSample(seen, value.data.sample);
  }
  process.kill(first.serving, 'SIGKILL');
  // The stream ends with its process, whole or cut off.
  for (;;) if ((await first.events.next().catch(() => ({ done: true }))).done) break;
  const second = await connect();
  expect(second.serving).not.toBe(first.serving);
  const { value } = await second.events.next();
  if (value?.event !== 'history') throw new Error('The first event must be the history');
  // Of two samples at nearly the same time a process that started earlier has the other one.
  for (const at of seen.at) {
    expect(value.data.at).toSatisfy((kept: number[]) =>
      kept.some((one) => Math.abs(one - at) < LEAST_MS),
    );
  }
  expect(new Set(value.data.at).size).toBe(value.data.at.length);
});

test('a carrier that hangs under a load is what is not well, and an event; before and after all is well', async () => {
  const demo = await serveDemoBy(Date.now, '--latency', '20', '--carriers', 'ouigo');
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const { body } = await fetch(`${demo.url}/operator/events`, { signal: leaving.signal });
  const views = viewsIn(body);
  const ask = (method: string, path: string, order: unknown) =>
    askAsPage(demo, method, path, order).then(({ status }) => expect(status).toBe(200));
  const ouigo = ({ health }: OperatorView) => health.filter(({ id }) => id === 'ouigo');
  /** Follows the views until Ouigo is in a state, or in none. */
  async function see(state: string | undefined): Promise<OperatorView> {
    for (;;) {
      const { value } = await views.next();
      if (value === undefined) throw new Error(`The views ended before Ouigo was ${state}`);
      if (ouigo(value)[0]?.state === state) return value;
    }
  }
  await ask('POST', '/operator/load', {
    ...{ perSecond: 20, seconds: 120 },
    path: '/search?origin=Madrid&destination=Barcelona',
  });
  for (let asked = 0; asked < 10; ) {
    const { rates } = await see(undefined);
    asked = rates.recent['state ouigo ok'] ?? 0;
  }
  await ask('PUT', '/operator/carriers/ouigo/plan', { fault: { kind: 'hang' } });
  const hanging = await see('hangs');
  const [condition] = ouigo(hanging);
  expect(condition).toMatchObject({ severity: 'bad', name: 'Ouigo', says: 'hangs' });
  await ask('PUT', '/operator/carriers/ouigo/plan', { fault: null });
  const { events } = await see(undefined);
  const kinds = events.flatMap(({ kind, carrier }) => (carrier === 'ouigo' ? [kind] : []));
  const caused = kinds.slice(kinds.indexOf('fault-set'));
  expect(caused.slice(0, 3)).toEqual(['fault-set', 'hangs', 'fault-ended']);
  expect(caused.at(-1)).toBe('recovered');
});

/** Event-loop delay above which a machine has no time for the server: its conditions are real then. */
const CALM_MS = 100;

test('a server under 20 searches a second is well', async () => {
  const demo = await serveDemoBy(
    Date.now,
    ...['--latency', '50', '--dispatch', 'fork', '--dispatch-workers', '2'],
  );
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const { body } = await fetch(`${demo.url}/operator/events`, { signal: leaving.signal });
  const path = '/search?origin=Madrid&destination=Barcelona';
  const order = { perSecond: 20, seconds: 5, path };
  expect((await askAsPage(demo, 'POST', '/operator/load', order)).status).toBe(200);
  for await (const { processes, load, health } of viewsIn(body)) {
    // From then on this test proves nothing: the recorded views do.
    if (processes.some(({ loopP99Ms = 0 }) => loopP99Ms > CALM_MS)) break;
    const parts = health.filter(
      ({ severity, subject }) => severity !== 'note' && subject !== 'process',
    );
    expect(parts).toEqual([]);
    if (load?.isRunning === false) {
      expect(load.answers).toEqual({ 200: 100 });
      break;
    }
  }
});

test.each(ACCEPTS)('--accept %s: a reload by SIGHUP is written down', async (accept) => {
  const several = accept === 'single' ? [] : ['--workers', '1'];
  const fork = ['--dispatch', 'fork', '--dispatch-workers', '1'];
  const demo = await startDemo(['--accept', accept, ...several, ...fork]);
  await eventually(async () => {
    const { events } = await stateOf(demo);
    expect(events.map(({ kind }) => kind)).toEqual(['server-started']);
  });
  demo.child.kill('SIGHUP');
  await eventually(async () => {
    const { events } = await stateOf(demo);
    const reloads = events.filter(({ kind }) => kind.startsWith('reload'));
    expect(reloads.map(({ text }) => text)).toEqual([
      'Replacing all workers',
      'All workers replaced',
    ]);
    // Task workers of a server process are replaced with it, and known once it reports.
    expect(reloads[1]?.detail).toMatch(/^[12] in \d+\.\d s$/);
  });
});
