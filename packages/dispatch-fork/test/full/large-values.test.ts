import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('../fixtures/large-values.ts', import.meta.url));
const run = promisify(execFile);

async function sendLargeValues(...wrapper: readonly string[]) {
  const [command = '', ...args] = [...wrapper, process.execPath, ...process.execArgv, program];
  const { stdout } = await run(command, args);
  return JSON.parse(stdout) as { wrong: string[]; path: string; size: number };
}

/** A program whose folder in memory was mounted anew. */
const mounting = (options: string): readonly string[] => [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  ...[`mount -t tmpfs -o ${options} tmpfs /dev/shm && exec "$@"`, 'sh'],
];
const [unshare = '', ...rest] = mounting('size=1m');
const mounts = spawnSync(unshare, [...rest, 'true']).status === 0;

test.runIf(process.platform === 'linux')(
  'large values go through a file in memory',
  async () => {
    const { wrong, path, size } = await sendLargeValues();
    expect(wrong).toEqual([]);
    expect(path).toMatch(/^\/dev\/shm\/ticketing-.* \(deleted\)$/);
    expect(size).toBeGreaterThan(1_000_000);
  },
  60_000,
);

// Where the system permits no folder of the test's own, nothing else shows this.
test.runIf(mounts)(
  'where there is little memory for files, or none, they go through the pipe',
  async () => {
    const little = await sendLargeValues(...mounting('size=1m'));
    expect(little.wrong).toEqual([]);
    expect(little.size).toBeLessThanOrEqual(2 ** 20 + 4 * 2 ** 20);
    const none = await sendLargeValues(...mounting('ro'));
    expect(none).toMatchObject({ wrong: [], path: '/dev/null' });
  },
  60_000,
);
