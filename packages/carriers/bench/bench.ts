// Runs each bench of this package in a process of its own, with the flags of this one.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

for (const name of ['run.ts', 'ojp.ts', 'simulator.ts']) {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const { status } = spawnSync(
    process.execPath,
    [...process.execArgv, file, ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  if (status !== 0) {
    process.exitCode = 1;
    break;
  }
}
