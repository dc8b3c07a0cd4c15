// The entries of batching can be imported one by one, and share their objects.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as all from '@ticketing/batching';
import * as batcher from '@ticketing/batching/batcher';
import * as coalescer from '@ticketing/batching/coalescer';
import { DataLoader } from '@ticketing/batching/dataloader';
import { createSharedBodies } from '@ticketing/batching/http';
import { createCoordinator, createMemoryStore } from '@ticketing/batching/shared';
import { createStreamCoalescer } from '@ticketing/batching/streams';

const folder = new URL('node_modules/@ticketing/batching/', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
for (const part of ['./coalescer', './batcher']) {
  assert.equal(typeof exports[part].types, 'string');
  // Each imports chunks that others import, too, and has no copy of them.
  const code = readFileSync(new URL(exports[part].default, folder), 'utf8');
  assert.match(code, /from "\.\.\/chunk-/);
  assert.doesNotMatch(code, /\bclass\b/);
}
assert.ok(readdirSync(new URL('dist', folder)).some((file) => file.startsWith('chunk-')));
const whole = new Map(Object.entries(all));
for (const part of [coalescer, batcher]) {
  for (const [name, value] of Object.entries(part)) assert.equal(whole.get(name), value, name);
}
assert.deepEqual(Object.keys({ ...coalescer, ...batcher }).sort(), Object.keys(all).sort());
const { BatchingError } = batcher;
assert.equal(coalescer.BatchingError, BatchingError);
const coordinator = createCoordinator(createMemoryStore());
await coordinator.close();
assert.ok((await coordinator.forget('key').catch((error) => error)) instanceof BatchingError);
const batch = batcher.createBatcher((keys) => keys);
assert.deepEqual(await Promise.all([batch.load(1), batch.load(2)]), [1, 2]);
assert.equal(await coalescer.coalesce(async (text) => text)('once'), 'once');
const streams = createStreamCoalescer(async function* (key) {
  yield key;
});
for await (const item of streams.follow('item')) assert.equal(item, 'item');
const asked = { headers: { 'accept-encoding': 'gzip' } };
const { headers } = await createSharedBodies().answer(asked, { body: Buffer.alloc(2000) });
assert.equal(headers['content-encoding'], 'gzip');
assert.equal(await new DataLoader(async (keys) => keys).load(3), 3);
process.stdout.write(`node ${process.version}: entries of batching\n`);
