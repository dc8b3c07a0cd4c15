import fc from 'fast-check';
import { bytesOf } from './upstream.ts';

/** One edit of an answer: cut it, drop a piece, repeat a piece, or put other bytes in its place. */
interface Edit {
  readonly kind: 'cut' | 'drop' | 'repeat' | 'replace';
  /** Where, as a part of the whole. */
  readonly from: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** Any bytes, and pieces of JSON. */
const anyPiece = fc.oneof(
  fc.uint8Array({ maxLength: 6 }),
  fc
    .constantFrom(
      ...['"', '{', '}', '[', ']', ',', ':', '-1', '1e999', 'null', '""', '\\', '//', '{}', '[]'],
    )
    .map(bytesOf),
);

/** An answer after one to three edits. `piece`: what takes the place of others. */
export function editsOf(
  answer: Uint8Array,
  piece: fc.Arbitrary<Uint8Array> = anyPiece,
): fc.Arbitrary<Uint8Array> {
  const edit: fc.Arbitrary<Edit> = fc.record({
    kind: fc.constantFrom('cut', 'drop', 'repeat', 'replace'),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 0, max: 40 }),
    bytes: piece,
  });
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => edited(answer, edits));
}

function edited(answer: Uint8Array, edits: readonly Edit[]): Uint8Array {
  let bytes = [...answer];
  for (const { kind, from, length, bytes: others } of edits) {
    const start = Math.floor(from * bytes.length);
    if (kind === 'cut') bytes = bytes.slice(0, start);
    else if (kind === 'drop') bytes.splice(start, length);
    else if (kind === 'repeat') bytes.splice(start, 0, ...bytes.slice(start, start + length));
    else bytes.splice(start, length, ...others);
  }
  return Uint8Array.from(bytes);
}
