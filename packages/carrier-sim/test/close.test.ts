import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { getAvlo, visitRenfe } from './call-wires.ts';
import { date, eventually, startedSim } from './started-sim.ts';

test('close() ends hung, dripping and waiting calls, and may be called again', async () => {
  const sim = await startedSim({
    plan: {
      renfe: { fault: { kind: 'hang' } },
      ouigo: { latency: { kind: 'fixed', ms: 600_000 } },
      avlo: { fault: { kind: 'drip' } },
    },
  });
  const hung = visitRenfe(sim.url).open();
  const waiting = fetch(`${sim.url}/ouigo/Token/login`, { method: 'POST' });
  const dripping = (await getAvlo(sim.url, date)).text();
  const ended = Promise.allSettled([hung, waiting, dripping]);
  await eventually(() => {
    const { renfe, ouigo, avlo } = sim.requests();
    expect([renfe.open, ouigo.open, avlo.open]).toEqual([1, 1, 1]);
  });
  await Promise.all([sim.close(), sim.close()]);
  await sim[Symbol.asyncDispose]();
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  const aborted = { arrived: 1, answered: 0, aborted: 1, open: 0, mostOpen: 1 };
  expect(sim.requests()).toMatchObject({ renfe: aborted, ouigo: aborted, avlo: aborted });
  await expect(fetch(`${sim.url}/plan`)).rejects.toThrow('fetch failed');
});

// Only a Node that strips types can run the source in a child.
test.skipIf(!process.features.typescript)(
  'close() leaves nothing that keeps a process alive',
  async () => {
    const source = new URL('../src/index.ts', import.meta.url).href;
    const script = `
      const { startCarrierSim } = await import(${JSON.stringify(source)});
      const latency = { kind: 'fixed', ms: 600_000 };
      const sim = await startCarrierSim({ plan: { renfe: { latency }, avlo: { fault: { kind: 'hang' } } } });
      const calls = ['/renfe/vol/inicio.do', '/avlo/timetable/2026-12-01.json'];
      const ended = Promise.allSettled(calls.map((path) => fetch(sim.url + path)));
      const open = () => Object.values(sim.requests()).reduce((sum, counts) => sum + counts.open, 0);
      while (open() < 2) await new Promise(setImmediate);
      await sim.close();
      await ended;
      process.stdout.write('closed');`;
    const child = await promisify(execFile)(process.execPath, [
      '--conditions=@ticketing/source',
      '--input-type=module',
      '--eval',
      script,
    ]);
    expect(child.stdout).toBe('closed');
  },
);
