import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countLeftOut } from '../src/files/left-out.ts';
import { readRows } from '../src/files/read-rows.ts';

const COLUMNS = ['a', 'b', 'c', 'd'];

/** Reads a text in pieces of some bytes. */
async function rowsOf(text: string, pieceBytes: number): Promise<readonly (readonly string[])[]> {
  const bytes = new TextEncoder().encode(text);
  const files = {
    has: () => true,
    close: () => {},
    async *read() {
      for (let at = 0; at < bytes.length; at += pieceBytes)
        yield bytes.subarray(at, at + pieceBytes);
    },
  };
  const rows: (readonly string[])[] = [];
  const onRow = (values: readonly string[]): undefined => void rows.push([...values]);
  const columns = { required: ['a', 'c'], optional: ['d', 'none'] };
  await readRows({ files, leftOut: countLeftOut(), signal: undefined }, 'x.txt', {
    columns,
    onRow,
  });
  return rows;
}

const plain = fc.stringMatching(/^[a-z0-9é:. -]{0,8}$/);
const quoted = fc.stringMatching(/^[a-z",\n €]{0,8}$/).map((text) => ({ text }));
const row = fc.array(fc.oneof({ weight: 3, arbitrary: plain }, quoted), {
  minLength: COLUMNS.length,
  maxLength: COLUMNS.length,
});
/** A row that lacks columns. */
const shortRow = fc.array(plain, { minLength: 1, maxLength: COLUMNS.length - 1 });

test('rows are read as written, in pieces of any size, and a row that is too short spoils no other', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.oneof({ weight: 4, arbitrary: row }, shortRow), { maxLength: 12 }),
    fc.constantFrom('\n', '\r\n'),
    fc.integer({ min: 1, max: 40 }),
    fc.boolean(),
    async (rows, lineEnd, pieceBytes, isEnded) => {
      const lines = rows.map((cells) =>
        cells
          .map((cell) => (typeof cell === 'string' ? cell : `"${cell.text.replaceAll('"', '""')}"`))
          .join(','),
      );
      const text = [COLUMNS.join(','), ...lines].join(lineEnd) + (isEnded ? lineEnd : '');
      const expected = rows.map((cells) =>
        [0, 2, 3, 4].map((place) => {
          const cell = cells[place] ?? '';
          return (typeof cell === 'string' ? cell : cell.text).replaceAll('\n', ' ').trim();
        }),
      );
      const isBlank = (values: readonly string[]): boolean => values.every((value) => value === '');
      expect(await rowsOf(text, pieceBytes)).toEqual(expected.filter((values) => !isBlank(values)));
    },
  );
  await fc.assert(property, { numRuns: scaled({ fast: 100, full: 20_000 }) });
});

test('a quote that is not closed takes time in proportion to the bound, and is one error', async () => {
  const text = `${COLUMNS.join(',')}\n"${'x\n'.repeat(600_000)}`;
  await expect(rowsOf(text, 65_536)).rejects.toMatchObject({ code: 'ERR_GTFS_CSV' });
});
