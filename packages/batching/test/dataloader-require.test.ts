import { expect, test } from 'vitest';
import { print, testSchedules } from './dataloader-programs.ts';

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

testSchedules(['ticks']);

test('a primed error is an unhandled rejection of the load that nobody handles, not before', async () => {
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
