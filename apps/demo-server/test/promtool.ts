import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe } from 'vitest';

const PROMTOOL = process.env['PROMTOOL'] ?? 'promtool';
export const hasPromtool: boolean = spawnSync(PROMTOOL, ['--version']).status === 0;
if (!hasPromtool && process.env['PROMTOOL_TESTS'] === 'required') {
  throw new Error('Cannot check metrics: install prometheus, which has promtool, or set PROMTOOL');
}
if (!hasPromtool) console.log('no promtool: install prometheus, or set PROMTOOL');

/** Tests that need promtool; skipped where there is none, unless PROMTOOL_TESTS=required. */
export const describeWithPromtool = describe.skipIf(!hasPromtool);

/** Everything that promtool has to say about a text; rejects if it finds a fault. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const running = promisify(execFile)(PROMTOOL, [...args]);
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
