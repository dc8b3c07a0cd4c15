import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const cwd = fileURLToPath(new URL('..', import.meta.url));

/** What a CommonJS program prints in a process of its own; it may break the globals of that. */
async function print(program: string): Promise<unknown> {
  const args = ['--conditions=@ticketing/source', '--input-type=commonjs', '--eval', program];
  const { stdout } = await run(process.execPath, args, { cwd });
  return JSON.parse(stdout);
}

/** Breakings of the platform, by what a loader then batches by. */
const schedules = {
  ticks: '',
  'setImmediate, without process.nextTick': 'process.nextTick = null;',
  'setTimeout, without both': 'process.nextTick = null; globalThis.setImmediate = null;',
} as const;

test('require() gives the class, as of npm’s dataloader, also to compiled imports of its default', async () => {
  const seen = await print(`
    const DataLoader = require('@ticketing/batching/dataloader');
    const interop = (module) => (module && module.__esModule ? module : { default: module });
    import('@ticketing/batching/dataloader').then((module) => console.log(JSON.stringify([
      typeof DataLoader,
      interop(DataLoader).default === DataLoader,
      module.default === DataLoader && module.DataLoader === DataLoader,
    ])));`);
  expect(seen).toEqual(['function', true, true]);
});

type Schedule = keyof typeof schedules;
const names = scaled<readonly Schedule[]>({
  fast: ['ticks'],
  full: Object.keys(schedules) as Schedule[],
});

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

test('a primed error is an unhandled rejection of a load without a handler, and not before', async () => {
  const seen = await print(`
    const DataLoader = require('@ticketing/batching/dataloader');
    const reasons = [];
    process.on('unhandledRejection', ({ message }) => reasons.push(message));
    const loader = new DataLoader(async (keys) => keys);
    loader.prime(1, new Error('primed'));
    setImmediate(() => {
      const before = reasons.length;
      loader.load(1);
      setImmediate(() => console.log(JSON.stringify({ before, reasons })));
    });`);
  expect(seen).toEqual({ before: 0, reasons: ['primed'] });
});
