import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type OnTerminal, onTerminal } from '@ticketing/cli-kit/testing';
import { until } from '@ticketing/test-kit';
import { expect, onTestFinished, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 180_000 });

const entry = fileURLToPath(new URL('../../load.ts', import.meta.url));
const START_MS = 120_000;

function load(
  columns: number,
  argv: readonly string[],
  env: Record<string, string> = {},
): OnTerminal {
  const flags = ['--scenario', 'stress', '--rate', '5', '--flags', '--worms 0', ...argv];
  const command = [process.execPath, '--conditions=@ticketing/source', entry, ...flags];
  const terminal = onTerminal(command, { columns, env });
  onTestFinished(terminal.close);
  return terminal;
}

test.runIf(process.platform === 'linux')(
  'pnpm load on a narrow terminal: a block no wider than it; Ctrl-C ends the load and brings the cursor back',
  async () => {
    const terminal = load(40, ['--duration', '600']);
    const draws = () => terminal.written().split('\u001B[8A').length;
    await until(() => draws() > 2, 'two seconds of the block', START_MS);
    terminal.type('\u0003');
    expect(await terminal.exit()).toBe(130);
    const written = terminal.written();
    const [hidden, shown] = [
      written.lastIndexOf('\u001B[?25l'),
      written.lastIndexOf('\u001B[?25h'),
    ];
    expect(hidden).toBeGreaterThanOrEqual(0);
    expect(shown).toBeGreaterThan(hidden);
    const block = stripVTControlCharacters(written.slice(hidden, shown)).split(/\r\n?/);
    expect(Math.max(...block.map((line) => line.length))).toBe(39);
    expect(block.join('\n')).toMatch(/^answered +\d.* \/s {2}[▁-█]+$/mu);
  },
);

test.runIf(process.platform === 'linux').each([
  [['--plain'], {}],
  [[], { CI: 'true' }],
] as const)('pnpm load %j with %j on a terminal writes lines', async (argv, env) => {
  const terminal = load(200, ['--duration', '1', ...argv], env);
  expect(await terminal.exit()).toBe(0);
  expect(terminal.written()).toMatch(/^1\/1 s {2}sent \d+ {2}answered \d+/m);
  expect(terminal.written()).not.toContain('\u001B[?25l');
});
