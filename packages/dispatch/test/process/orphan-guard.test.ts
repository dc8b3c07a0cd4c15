import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { canTakeDescriptors, gone, lives, takeDescriptors } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createOrphanGuard } from '../../src/process/orphan-guard.ts';

const parent = fileURLToPath(new URL('../fixtures/guarding-parent.ts', import.meta.url));

/** A process that does nothing, to be guarded. */
async function sleeper() {
  const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? Number.NaN,
    ended: once(child, 'exit'),
    kill: () => child.kill('SIGKILL'),
  };
}

async function startParent(...args: string[]) {
  const program = ['--conditions=@ticketing/source', parent, ...args];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return {
    child,
    ...(JSON.parse(String(line)) as { idle: number; busy: number }),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Guards of a process: shells whose standard input it alone holds. */
async function guardsOf(pid: number): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const [line, status] = await Promise.all([
      readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => ''),
      readFile(`/proc/${entry}/status`, 'utf8').catch(() => ''),
    ]);
    if (line.includes('dispatch-orphan-guard') && status.includes(`\nPPid:\t${pid}\n`)) {
      found.push(Number(entry));
    }
  }
  return found;
}
const onLinux = test.runIf(process.platform === 'linux');

test('idle and busy workers are gone within a second after their parent was killed', async () => {
  const { idle, busy, kill } = await startParent('guarded');
  expect([lives(idle), lives(busy)]).toEqual([true, true]);
  await kill();
  await Promise.all([gone(idle, 1000), gone(busy, 1000)]);
});

test('without a guard an idle worker ends by itself, a busy one does not', async () => {
  const { idle, busy, kill } = await startParent('unguarded');
  await kill();
  await gone(idle, 1000);
  expect(lives(busy)).toBe(true);
  process.kill(busy, 'SIGKILL');
  await gone(busy, 1000);
});

onLinux('a guard goes with the process that it guards', async () => {
  const { child, kill } = await startParent('guarded');
  const [guard = Number.NaN] = await guardsOf(child.pid ?? Number.NaN);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(guard, signal);
  expect(lives(guard)).toBe(true);
  await kill();
  await gone(guard, 1000);
});

test('close() ends guarded processes, and not removed ones', async () => {
  const [kept, first, removed, last] = await Promise.all([1, 2, 3, 4].map(sleeper));
  if (!kept || !first || !removed || !last) throw new Error('no processes');
  const guard = createOrphanGuard();
  for (const { pid } of [first, kept, removed, last]) guard.add(pid);
  guard.remove(first.pid);
  guard.remove(removed.pid);
  guard.remove(last.pid);
  guard.remove(last.pid);
  await Promise.all([guard.close(), guard.close()]);
  expect(await kept.ended).toEqual([null, 'SIGKILL']);
  for (const child of [first, removed, last]) {
    expect(lives(child.pid)).toBe(true);
    child.kill();
    await child.ended;
  }
});

onLinux('a guard starts with the first worker, once, and ends by close()', async () => {
  const guard = createOrphanGuard();
  expect(await guardsOf(process.pid)).toEqual([]);
  const children = await Promise.all([sleeper(), sleeper()]);
  for (const { pid } of children) guard.add(pid);
  expect(await guardsOf(process.pid)).toHaveLength(1);
  await guard.close();
  expect(await guardsOf(process.pid)).toEqual([]);
  for (const child of children) await child.ended;
});

onLinux('a guard that was killed is replaced with the next worker, and knows all', async () => {
  const guard = createOrphanGuard();
  const [one, two] = [await sleeper(), await sleeper()];
  guard.add(one.pid);
  const [first = 0] = await guardsOf(process.pid);
  process.kill(first, 'SIGKILL');
  await gone(first, 1000);
  // Its end is seen in one of the next turns.
  await setImmediate();
  await setImmediate();
  guard.add(two.pid);
  await guard.close();
  expect(await one.ended).toEqual([null, 'SIGKILL']);
  expect(await two.ended).toEqual([null, 'SIGKILL']);
});

test('without a shell a guard does nothing, silently', async () => {
  const guard = createOrphanGuard('/nonexistent/sh');
  const child = await sleeper();
  guard.add(child.pid);
  await setImmediate();
  guard.remove(child.pid);
  guard.add(child.pid);
  await guard.close();
  expect(lives(child.pid)).toBe(true);
  child.kill();
  await child.ended;
});

test('close() of a guard that never started resolves, and starts none', async () => {
  await expect(createOrphanGuard().close()).resolves.toBeUndefined();
  expect(await guardsOf(process.pid)).toEqual([]);
});

test.skipIf(!canTakeDescriptors)(
  'a guard that cannot start for want of descriptors starts with the next worker',
  async () => {
    const guard = createOrphanGuard();
    const [one, other] = await Promise.all([sleeper(), sleeper()]);
    const before = await guardsOf(process.pid);
    const giveBack = takeDescriptors();
    guard.add(one.pid);
    giveBack();
    guard.add(other.pid);
    const [added, ...more] = (await guardsOf(process.pid)).filter((pid) => !before.includes(pid));
    expect([added, more]).toEqual([expect.any(Number), []]);
    for (const { pid, kill } of [one, other]) {
      kill();
      guard.remove(pid);
    }
    await guard.close();
    await Promise.all([one.ended, other.ended]);
  },
);
