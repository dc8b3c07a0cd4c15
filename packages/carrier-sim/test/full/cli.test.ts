import { expect } from 'vitest';
import { cli, fileOf, run } from '../cli-runs.ts';
import { startedSim } from '../started-sim.ts';

cli('wrong flags, files and plans end carrier-sim with one line and exit code 2', async () => {
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
