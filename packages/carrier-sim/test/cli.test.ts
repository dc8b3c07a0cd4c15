import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FlagError, readCommandLine } from '@ticketing/cli-kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { command } from '../src/program/command.ts';
import { startedSim } from './started-sim.ts';

const program = fileURLToPath(new URL('../src/program/cli.ts', import.meta.url));
// Only a Node that strips types can run the source in a child.
const cli = test.skipIf(!process.features.typescript);

/** A run of the program; it is killed when the test ends. */
function run(...flags: readonly string[]) {
  const child = spawn(process.execPath, ['--conditions=@ticketing/source', program, ...flags], {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
  });
  onTestFinished(() => end(child));
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (data) => {
      texts[name] += data;
    });
  }
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  const listening = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const url = /^listening {2}(\S+)\n/m.exec(texts.stdout)?.[1];
      if (url !== undefined) resolve(url);
    });
    void exited.then(({ stderr }) => reject(new Error(stderr)));
  });
  listening.catch(() => {});
  return { child, exited, listening };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}

async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carrier-sim-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'plan.json');
  await writeFile(file, text);
  return file;
}

cli('it serves the plans of a file at the time and seed of its flags, until SIGTERM', async () => {
  const plan = await fileOf('{"avlo":{"journeys":1,"latency":{"kind":"fixed","ms":0}}}');
  const flags = ['--port', '0', '--plan', plan, '--now', '2026-11-21T10:00:00Z', '--seed', 'mine'];
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
  const put = await fetch(`${url}/plan/avlo`, { method: 'PUT', body: '{"fault":{"kind":"hang"}}' });
  expect(put.status).toBe(200);
  const hung = timetable(url).catch(() => 'closed');
  await vi.waitFor(async () => {
    const { avlo } = (await (await fetch(`${url}/requests`)).json()) as { avlo: { open: number } };
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
});

cli('wrong flags, files and plans end it with one line and exit code 2', async () => {
  const noKind = await fileOf('{"avlo":{"fault":{"kind":"hangs"}}}');
  const ends = await Promise.all(
    [
      ['--prot', '1'],
      ['--plan', '/none.json'],
      ['--plan', noKind],
    ].map((flags) => run(...flags).exited),
  );
  expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual([
    [2, ''],
    [2, ''],
    [2, ''],
  ]);
  const [flag, file, plan] = ends.map(({ stderr }) => stderr);
  expect(flag).toBe('Cannot start carrier simulator: unknown flag --prot; did you mean --port?\n');
  expect(file).toMatch(
    /^Cannot start carrier simulator: --plan must be a file with JSON, got '\/none\.json': ENOENT.*\n$/,
  );
  expect(plan).toMatch(
    /^Cannot set plan of `avlo`: `plan\.fault\.kind` must be one of hang, .*, got hangs\n$/,
  );
});

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

cli('--help lists the flags; a port that is taken is exit code 1', async () => {
  const { port } = new URL((await startedSim()).url);
  const [help, taken] = await Promise.all([run('--help').exited, run('--port', port).exited]);
  expect([help.code, help.stderr]).toEqual([0, '']);
  expect(help.stdout).toMatch(/^Usage: npx @ticketing\/carrier-sim \[flags\]\n/);
  for (const name of ['port', 'host', 'seed', 'plan', 'now']) {
    expect(help.stdout).toContain(`\n--${name} `);
  }
  expect(taken).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: `Cannot start carrier simulator: cannot listen on 127.0.0.1:${port} (EADDRINUSE); choose another --host or --port\n`,
  });
});
