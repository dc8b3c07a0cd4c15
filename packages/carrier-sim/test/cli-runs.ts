import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('../src/program/cli.ts', import.meta.url));
// Only a Node that strips types can run the source in a child.
export const cli: (name: string, run: () => Promise<void>) => void = test.skipIf(
  !process.features.typescript,
);

/** A run of the program; it is killed when the test ends. */
export function run(...flags: readonly string[]) {
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

export async function fileOf(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carrier-sim-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'plan.json');
  await writeFile(file, text);
  return file;
}
