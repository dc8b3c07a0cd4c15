import { readFile } from 'node:fs/promises';
import * as all from '@ticketing/batching';
import * as batcher from '@ticketing/batching/batcher';
import * as coalescer from '@ticketing/batching/coalescer';
import * as streams from '@ticketing/batching/streams';
import { expect, test } from 'vitest';

test('the entries of one part have what the whole has, the same objects', () => {
  expect(Object.keys(coalescer).sort()).toEqual([
    'BatchingError',
    'canonicalKey',
    'coalesce',
    'createCoalescer',
    'systemClock',
  ]);
  expect(Object.keys(batcher).sort()).toEqual(['BatchingError', 'createBatcher', 'systemClock']);
  expect({ ...coalescer, ...batcher }).toEqual({ ...all });
  const { createStreamCoalescer, ...shared } = streams;
  expect(createStreamCoalescer).toBeTypeOf('function');
  const whole = new Map<string, unknown>(Object.entries(all));
  expect(Object.keys(shared).sort()).toEqual(['BatchingError', 'canonicalKey', 'systemClock']);
  for (const part of [coalescer, batcher, shared]) {
    for (const [name, value] of Object.entries(part)) expect(whole.get(name)).toBe(value);
  }
});

test('an error of one entry is recognised by another', async () => {
  const closed = batcher.createBatcher((keys: readonly number[]) => [...keys]);
  await closed.close();
  const error = await closed.load(1).catch((reason) => reason);
  expect(error).toBeInstanceOf(coalescer.BatchingError);
  expect(coalescer.BatchingError.is(error)).toBe(true);
});

test('the entries are limited in size, and published', async () => {
  const read = async (path: string) =>
    JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'));
  const limits: { path: string; limit: string }[] = await read('../../../.size-limit.json');
  const manifest = await read('../package.json');
  const parts = {
    coalescer: '7.9 kB',
    batcher: '6 kB',
    streams: '6 kB',
    http: '13.7 kB',
    koa: '10.6 kB',
    hono: '10.9 kB',
  };
  for (const [part, limit] of Object.entries(parts)) {
    const path = `packages/batching/dist/${part}/index.js`;
    expect(limits.find((each) => each.path === path)?.limit).toBe(limit);
    expect(manifest.publishConfig.exports[`./${part}`]).toEqual({
      types: `./dist/${part}/index.d.ts`,
      default: `./dist/${part}/index.js`,
    });
  }
});
