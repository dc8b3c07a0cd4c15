import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeStoreFolder } from '../src/worms/store-folder.ts';
import { temporaryFolder } from './demo.ts';

const MODULE = fileURLToPath(new URL('../src/worms/store-folder.ts', import.meta.url));
const hasProc = existsSync('/proc/self/stat');

/** A process that makes a folder, prints its path, and lives until it is killed. */
async function makeElsewhere(parent: string) {
  const code = `import(${JSON.stringify(MODULE)}).then(({ makeStoreFolder }) => {
    console.log(makeStoreFolder(${JSON.stringify(parent)}));
    setInterval(() => {}, 1000);
  });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, folder: String(line).trim() };
}

test.skipIf(!hasProc)(
  'makeStoreFolder() removes the folder of a process that was killed, and that of no other',
  async () => {
    const parent = temporaryFolder();
    const unknown = join(parent, 'ticketing-demo-unknown');
    const foreign = join(parent, 'other');
    for (const folder of [unknown, foreign]) mkdirSync(folder);
    const { child, folder } = await makeElsewhere(parent);
    const second = makeStoreFolder(parent);
    expect(existsSync(folder), 'its owner lives').toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const third = makeStoreFolder(parent);
    expect(existsSync(folder), 'its owner was killed').toBe(false);
    for (const each of [unknown, foreign, second, third]) expect(existsSync(each), each).toBe(true);
  },
);

test.skipIf(!hasProc)(
  'makeStoreFolder() tells a process from a later one with its pid, and leaves other containers alone',
  () => {
    const parent = temporaryFolder();
    const folder = makeStoreFolder(parent);
    const owner = JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
    const withOwner = (name: string, changes: object): string => {
      const path = join(parent, `ticketing-demo-${name}`);
      mkdirSync(path);
      writeFileSync(join(path, 'owner.json'), JSON.stringify({ ...owner, ...changes }));
      return path;
    };
    const earlier = withOwner('earlier', { start: '1' });
    const elsewhere = withOwner('elsewhere', { start: '1', pidNamespace: 'pid:[1]' });
    makeStoreFolder(parent);
    expect([earlier, elsewhere, folder].map(existsSync)).toEqual([false, true, true]);
  },
);
