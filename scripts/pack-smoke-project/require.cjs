// A CommonJS user: require() of an ES module works from Node 20.19 on.
const assert = require('node:assert/strict');
const { parseMoney } = require('@ticketing/core');
const { createRenfe } = require('@ticketing/carriers');
const { createTimetable } = require('@ticketing/carrier-sim');
const { canonicalKey } = require('@ticketing/batching');
const DataLoader = require('@ticketing/batching/dataloader');
const { coalesceRoutes } = require('@ticketing/batching/fastify');

assert.deepEqual(parseMoney('37,35', { currency: 'EUR', decimal: ',' }), {
  amount: 3735,
  currency: 'EUR',
});
assert.equal(createRenfe({ baseUrl: 'http://127.0.0.1:1' }).id, 'renfe');
assert.equal(typeof createTimetable({ seed: 1 }).trains, 'function');
assert.notEqual(canonicalKey(1), canonicalKey('1'));
assert.equal(DataLoader.name, 'DataLoader');
assert.equal(new DataLoader(async (keys) => keys).name, null);
assert.equal(typeof coalesceRoutes, 'function');
console.log(`node ${process.version}: require`);
