import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { execArgv } from '../worker-processes.ts';

const program = fileURLToPath(new URL('../long-bytes-program.mjs', import.meta.url));
const run = promisify(execFile);

async function sendLongBytes(...wrapper: readonly string[]) {
  const [command = '', ...args] = [...wrapper, process.execPath, ...execArgv, program];
  const { stdout } = await run(command, args);
  return JSON.parse(stdout) as { wrong: number[]; path: string };
}

/** A program whose folder in memory was mounted anew. */
const mounting = (options: string): readonly string[] => [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  ...[`mount -t tmpfs -o ${options} tmpfs /dev/shm && exec "$@"`, 'sh'],
];
const [unshare = '', ...rest] = mounting('size=1m');
const mounts = spawnSync(unshare, [...rest, 'true']).status === 0;

test.runIf(process.platform === 'linux')(
  'bytes that were read go by a file in memory',
  async () => {
    const { wrong, path } = await sendLongBytes();
    expect(wrong).toEqual([]);
    expect(path).toMatch(/^\/dev\/shm\/ticketing-.* \(deleted\)$/);
  },
);

// Where the system permits no folder of the test's own, nothing else shows this.
test.runIf(mounts)('without memory for a file, or for all of it, nothing is lost', async () => {
  expect((await sendLongBytes(...mounting('size=16k'))).wrong).toEqual([]);
  const { wrong, path } = await sendLongBytes(...mounting('ro'));
  expect(wrong).toEqual([]);
  expect(path).not.toContain('/dev/shm');
});
