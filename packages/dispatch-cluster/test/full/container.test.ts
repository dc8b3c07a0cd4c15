import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('../fixtures/container.ts', import.meta.url));
const namespaces = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'];
const hasNamespaces =
  process.platform === 'linux' && spawnSync('unshare', [...namespaces, 'true']).status === 0;

/** Makes a shell that does not run, folders that cannot be written, and a CPU limit of one core; then becomes the program. */
const CONTAINER = `
set -e
mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD"
mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp
mount -t tmpfs -o ro none /dev/shm
mount -t tmpfs none /sys/fs/cgroup
echo '100000 100000' > /sys/fs/cgroup/cpu.max
mount --bind /dev/null "$(readlink -f /bin/sh)"
exec "$@"
`;

// Skipped where namespaces are not allowed.
test.runIf(hasNamespaces)(
  'a cluster runs as PID 1 without a shell, without a folder to write to, with one core of many, and ends on SIGTERM',
  { timeout: 60_000 },
  async () => {
    const args = [process.execPath, '--conditions=@ticketing/source', program];
    const env = { ...process.env, TMPDIR: '/proc/none' };
    const container = spawn('unshare', [...namespaces, '/bin/sh', '-c', CONTAINER, 'sh', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void container.kill('SIGKILL'));
    let said = '';
    container.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const closed = once(container, 'close');
    const [line] = await Promise.race([once(container.stdout, 'data'), closed]);
    expect(said).toBe('');
    expect(JSON.parse(String(line))).toEqual({
      ...{ pid: 1, status: 200, doubles: [2, 4, 6] },
      // One worker, by the CPU limit.
      ...{ spawned: 1, lost: 0 },
    });
    const children = await readFile(
      `/proc/${container.pid}/task/${container.pid}/children`,
      'utf8',
    );
    process.kill(Number(children), 'SIGTERM');
    expect(await closed).toEqual([0, null]);
    expect(said).toBe('');
  },
);
