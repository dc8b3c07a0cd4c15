import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createPiscinaDispatcher, type PiscinaOptions } from '../src/index.ts';
import type { Tasks } from './fixtures/tasks.ts';

const module = new URL('fixtures/tasks.ts', import.meta.url);
const execArgv = ['--conditions=@ticketing/source'];

/** Options of a test whose pipe is a file of its own, which Windows does not have. */
export const onUnix = { skip: process.platform === 'win32' };

/** Creates a dispatcher of one thread. */
export const create = (options: PiscinaOptions) =>
  createPiscinaDispatcher<Tasks>(module, { max: 1, execArgv, ...options });

/** Makes a pipe that keeps threads which read it in native code, until `release()` or the end of the test. */
export function makePipe(): { readonly path: string; release(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), 'native-code-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  let released: Promise<void> | undefined;
  // Readers see the end once the last writer has closed.
  const release = () => {
    released ??= open(path, 'r+').then((file) => file.close());
    return released;
  };
  onTestFinished(async () => {
    await release();
    rmSync(folder, { recursive: true });
  });
  return { path, release };
}
