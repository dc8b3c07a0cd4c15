import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeadReader } from '../../src/reading/http/head-reader.ts';
import { disagreementWithNode } from '../fixtures/compare-with-node.ts';
import { headText } from '../fixtures/head-arbitrary.ts';
import { pushAll, splitAt } from '../fixtures/split.ts';

const headBytes = 16_384;

test('Node reads each of 10,000 random heads that createHeadReader() takes as it does', async () => {
  const met: Record<string, number> = { http1: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      headText,
      fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
      async (text, places) => {
        const bytes = Buffer.from(text, 'latin1');
        const state = pushAll(createHeadReader({ headBytes }), splitAt(bytes, places));
        met[state.kind] = (met[state.kind] ?? 0) + 1;
        if (state.kind === 'http1')
          expect(await disagreementWithNode(bytes, state)).toBeUndefined();
      },
    ),
    { numRuns: 10_000 },
  );
  expect(met['http1']).toBeGreaterThan(2000);
  expect(met['refused']).toBeGreaterThan(2000);
});

test('any cut of the bytes gives the same head: 2,000 random heads', () => {
  fc.assert(
    fc.property(
      headText,
      fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
      (text, places) => {
        const bytes = Buffer.from(text, 'latin1');
        const atOnce = createHeadReader({ headBytes }).push(bytes);
        const cut = pushAll(createHeadReader({ headBytes }), splitAt(bytes, places));
        expect(JSON.stringify(cut)).toBe(JSON.stringify(atOnce));
        if (cut.kind !== 'http1' || atOnce.kind !== 'http1') return;
        for (const name of ['host', 'connection', 'x-any', 'cookie', 'referer']) {
          expect(cut.header(name)).toBe(atOnce.header(name));
        }
      },
    ),
    { numRuns: 2000 },
  );
});
