import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a program of Node, and returns the JSON that it prints. With `memory`, a mount option of `tmpfs` such as `size=1m` or `ro`,
 * it has a `/dev/shm` of its own like that; only where `canMountMemory()`.
 */
export async function runWithMemory<T>(args: readonly string[], memory?: string): Promise<T> {
  const command = [process.execPath, ...args];
  const [program = '', ...rest] = memory === undefined ? command : mounting(memory, command);
  const { stdout } = await run(program, rest);
  return JSON.parse(stdout) as T;
}

/** Returns whether the system lets this process mount a folder for its children. */
export function canMountMemory(): boolean {
  const [program = '', ...args] = mounting('size=1m', ['true']);
  return spawnSync(program, args).status === 0;
}

function mounting(options: string, command: readonly string[]): string[] {
  return [
    ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
    ...[`mount -t tmpfs -o ${options} tmpfs /dev/shm && exec "$@"`, 'sh', ...command],
  ];
}
