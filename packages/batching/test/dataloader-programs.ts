import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const cwd = fileURLToPath(new URL('..', import.meta.url));

/** What a CommonJS program prints in a process of its own; it may break the globals of that. */
export async function print(program: string): Promise<unknown> {
  const args = ['--conditions=@ticketing/source', '--input-type=commonjs', '--eval', program];
  const { stdout } = await run(process.execPath, args, { cwd });
  return JSON.parse(stdout);
}

/** Breakings of the platform, by what a loader then batches by. */
export const schedules = {
  ticks: '',
  'setImmediate, without process.nextTick': 'process.nextTick = null;',
  'setTimeout, without both': 'process.nextTick = null; globalThis.setImmediate = null;',
} as const;

export function testSchedules(names: readonly (keyof typeof schedules)[]): void {
  test.each(names)('batches by %s', async (name) => {
    const seen = await print(`
    const { nextTick } = process;
    const { setImmediate } = globalThis;
    ${schedules[name]}
    const DataLoader = require('@ticketing/batching/dataloader');
    const batches = [];
    const loader = new DataLoader(async (keys) => batches.push([...keys]) && keys);
    const late = Promise.resolve().then(() => loader.load(3));
    Promise.all([loader.load(1), loader.load(2), late]).then((values) => {
      Object.assign(process, { nextTick });
      Object.assign(globalThis, { setImmediate });
      console.log(JSON.stringify({ batches, values }));
    });`);
    expect(seen).toEqual({ batches: [[1, 2, 3]], values: [1, 2, 3] });
  });
}
