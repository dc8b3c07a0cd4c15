import { expect, test } from 'vitest';
import { createHeadReader } from '../../src/reading/http/head-reader.ts';
import { disagreementWithNode } from '../fixtures/compare-with-node.ts';
import { GOOD_HEADS, PIECES } from '../fixtures/head-corpus.ts';
import { mutate } from '../fixtures/mutate.ts';
import { createRandom, fuzzSettings } from '../fixtures/random.ts';
import { byteByByte, pushAll } from '../fixtures/split.ts';

const { runs, seed } = fuzzSettings();
const EMPTY_LINE = Buffer.from('\r\n\r\n');

test(
  `createHeadReader() takes no mutated head that Node refuses or reads otherwise: ${runs} heads`,
  async () => {
    const random = createRandom(seed);
    const counts: Record<string, number> = { http1: 0, refused: 0, incomplete: 0, h2c: 0, tls: 0 };
    const wrong: string[] = [];
    for (let run = 0; run < runs; run += 1) {
      const bytes = Buffer.concat([mutate(random.oneOf(GOOD_HEADS), PIECES, random), EMPTY_LINE]);
      const state = createHeadReader({ headBytes: 16_384 }).push(bytes);
      counts[state.kind] = (counts[state.kind] ?? 0) + 1;
      if (run % 16 === 0) {
        const again = pushAll(createHeadReader({ headBytes: 16_384 }), byteByByte(bytes));
        expect(plain(again), JSON.stringify(bytes.toString('latin1'))).toEqual(plain(state));
      }
      if (state.kind !== 'http1') continue;
      const disagreement = await disagreementWithNode(bytes, state);
      if (disagreement) wrong.push(`${disagreement} ${JSON.stringify(bytes.toString('latin1'))}`);
    }
    expect(wrong).toEqual([]);
    // Both sides are met often, so that neither half of the promise is empty.
    expect(counts['http1']).toBeGreaterThan(runs / 8);
    expect(counts['refused']).toBeGreaterThan(runs / 8);
  },
  Math.max(60_000, runs * 10),
);

function plain(state: object): object {
  return JSON.parse(JSON.stringify(state)) as object;
}
