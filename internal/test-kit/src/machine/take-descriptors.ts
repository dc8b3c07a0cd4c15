import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Whether `takeDescriptors` works on this machine. */
export const canTakeDescriptors: boolean =
  process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;

/** Descriptors that are free before they are taken: enough for the program that sets the limit. */
const ROOM = 32;

/**
 * Takes every descriptor of this process but some: with none it opens no file, no socket and starts no process until the returned
 * function has been called. What is open stays open.
 */
export function takeDescriptors(left = 0): () => void {
  const [, before = '1024'] = /^Max open files\s+(\d+)/m.exec(limits()) ?? [];
  setLimit(String(readdirSync('/proc/self/fd').length + ROOM));
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // None is left.
  }
  for (const file of taken.splice(0, left)) closeSync(file);
  return () => {
    for (const file of taken) closeSync(file);
    setLimit(before);
  };
}

function limits(): string {
  return readFileSync('/proc/self/limits', 'utf8');
}

function setLimit(soft: string): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${soft}:`]);
}
