import { expect, test } from 'vitest';
import { StderrTail } from '../src/processes/stderr-tail.ts';

const texts = ['', 'short', 'x'.repeat(4096), `${'é€😀z'.repeat(1000)}`, '😀'.repeat(1024)];

test.each([1, 3, 7, 1000, 4096, 10_000])(
  'text() is the end of what was written, by %i bytes',
  (step) => {
    for (const text of texts) {
      for (const shift of ['', 'a', 'ab', 'abc', 'x'.repeat(4095)]) {
        const all = Buffer.from(shift + text);
        const tail = new StderrTail();
        for (let from = 0; from < all.length; from += step)
          tail.push(all.subarray(from, from + step));
        const kept = tail.text();
        expect(all.toString().endsWith(kept)).toBe(true);
        // A character is four bytes at most, and one that was cut is left out.
        expect(Buffer.byteLength(kept)).toBeGreaterThanOrEqual(Math.min(all.length, 4093));
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(4096);
      }
    }
  },
);
