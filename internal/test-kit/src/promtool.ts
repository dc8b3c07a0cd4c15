import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const PROMTOOL = process.env['PROMTOOL'] ?? 'promtool';

/** Returns true if promtool is installed. @throws Error if it is not, with `PROMTOOL_TESTS=required`. */
export function hasPromtool(): boolean {
  if (spawnSync(PROMTOOL, ['--version']).status === 0) return true;
  const hint = 'install prometheus, which has promtool, or set PROMTOOL';
  if (process.env['PROMTOOL_TESTS'] === 'required')
    throw new Error(`Cannot check metrics: ${hint}`);
  console.log(`no promtool: ${hint}`);
  return false;
}

/** Returns everything that promtool writes for a text; rejects if it finds a fault. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const running = promisify(execFile)(PROMTOOL, [...args]);
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
