import { FlagError, readCommandLine } from '@ticketing/cli-kit';
import { expect, test, vi } from 'vitest';
import { command } from '../src/program/command.ts';
import { cli, fileOf, run } from './cli-runs.ts';
import { startedSim } from './started-sim.ts';

// What it answers to wrong flags, to --help and on a port that is taken is in `test/full`.
cli(
  'carrier-sim serves the plans of a file at the time and seed of its flags, until SIGTERM',
  async () => {
    const plan = await fileOf('{"avlo":{"journeys":1,"latency":{"kind":"fixed","ms":0}}}');
    const flags = [
      '--port',
      '0',
      '--plan',
      plan,
      '--now',
      '2026-11-21T10:00:00Z',
      '--seed',
      'mine',
    ];
    const { child, exited, listening } = run(...flags);
    const url = await listening;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const timetable = (at: string) => fetch(`${at}/avlo/timetable/2026-12-01.json`);
    const sim = await startedSim({ seed: 'mine', plan: { avlo: { journeys: 1 } } });
    const text = async (at: string) => (await timetable(at)).text();
    expect(await text(url)).toBe(await text(sim.url));
    // Another seed, or no plan, gives other trains.
    const others = [{ plan: { avlo: { journeys: 1 } } }, { seed: 'mine' }];
    for (const options of others) {
      const other = await startedSim(options);
      expect(await text(url)).not.toBe(await text(other.url));
    }
    expect((await fetch(`${url}/avlo/timetable/2026-11-01.json`)).status).toBe(404);
    // A call that hangs does not keep it.
    const put = await fetch(`${url}/plan/avlo`, {
      method: 'PUT',
      body: '{"fault":{"kind":"hang"}}',
    });
    expect(put.status).toBe(200);
    const hung = timetable(url).catch(() => 'closed');
    await vi.waitFor(async () => {
      const { avlo } = (await (await fetch(`${url}/requests`)).json()) as {
        avlo: { open: number };
      };
      expect(avlo.open).toBe(1);
    });
    child.kill('SIGTERM');
    expect(await exited).toEqual({
      code: 0,
      signal: null,
      stdout: `listening  ${url}\n`,
      stderr: '',
    });
    expect(await hung).toBe('closed');
  },
);

test.each([
  [['--port', '70000'], "--port must be an integer from 0 to 65535, got '70000'"],
  [['--now', 'today'], "--now must be an instant such as 2026-11-21T10:00:00Z, got 'today'"],
  [
    ['--now', '2026-11-21T10:00:00'],
    "--now must be an instant such as 2026-11-21T10:00:00Z, got '2026-11-21T10:00:00'",
  ],
  [['now'], "unexpected argument 'now'; --help lists the flags"],
  [['--plan'], '--plan must have a value: text'],
])('the command line %j is refused', (argv, complaint) => {
  expect(() => readCommandLine(command, argv)).toThrow(
    new FlagError(`Cannot start carrier simulator: ${complaint}`),
  );
});
