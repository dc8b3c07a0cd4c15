// Shows what two ways of leaving a caller's AsyncLocalStorage see, and what they cost.
import assert from 'node:assert/strict';
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';

const storage = new AsyncLocalStorage();
const snapshot = AsyncLocalStorage.snapshot();
const resource = new AsyncResource('maker');
const load = async (key) => storage.getStore() ?? key;
const ways = {
  direct: (key) => load(key),
  'snapshot()': (key) => snapshot(load, key),
  runInAsyncScope: (key) => resource.runInAsyncScope(load, undefined, key),
};

const CALLS = 100_000;
for (const [name, call] of Object.entries(ways)) {
  const seen = await storage.run('tenant', () => call('nothing'));
  const rounds = Array.from({ length: 31 }, () => {
    const start = process.hrtime.bigint();
    for (let key = 0; key < CALLS; key++) void call(key);
    return Number(process.hrtime.bigint() - start) / CALLS;
  });
  const median = rounds.sort((a, b) => a - b)[15];
  assert.equal(seen, name === 'direct' ? 'tenant' : 'nothing');
  console.log(`${name.padEnd(16)} sees ${seen.padEnd(8)} ${median.toFixed(0).padStart(3)} ns`);
}
