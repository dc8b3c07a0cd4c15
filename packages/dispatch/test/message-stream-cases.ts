import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LargeMessages, MessageStream, messageData } from '../src/process/message-stream.ts';
import type { WireMessage } from '../src/wire/wire-message.ts';

export function reader(large?: LargeMessages) {
  const got: WireMessage[] = [];
  const stream = new MessageStream(([cells, body]) => {
    got.push(body === undefined ? [cells] : [cells, Uint8Array.from(body)]);
  }, large);
  return { got, stream };
}

/** As a socket writes it. */
export function bytesOf(message: WireMessage, large?: LargeMessages): Uint8Array {
  const data = messageData(message, large);
  return typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
}

/** A place for large messages that has room for `most`; both sides use this one. */
export function largeMessages(most: number) {
  const kept = new Map<number, Buffer>();
  let places = 0;
  let read = 0;
  const confirmed: number[] = [];
  const large: LargeMessages = {
    write(text, body, size) {
      if (kept.size === most) return undefined;
      const bytes = [Buffer.from(text as string, 'latin1'), body ?? new Uint8Array(0)];
      kept.set(places, Buffer.concat(bytes));
      expect(kept.get(places)?.byteLength).toBe(size);
      return places++;
    },
    read(place, textBytes, bodyBytes) {
      const bytes = kept.get(place);
      if (bytes?.byteLength !== textBytes + bodyBytes) throw new RangeError('nothing here');
      kept.delete(place);
      read += 1;
      return {
        text: bytes.subarray(0, textBytes),
        body: Uint8Array.from(bytes.subarray(textBytes)),
      };
    },
    get unreported() {
      return confirmed.at(-1) === read || read === 0 ? undefined : read;
    },
    confirm: (count) => confirmed.push(count),
  };
  return { large, kept, confirmed };
}

const cells = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.integer({ min: 60_000, max: 100_000 }).map((length) => 'x'.repeat(length)),
);
const body = fc
  .integer({ min: 1, max: 90_000 })
  .map((length) => new Uint8Array(length).fill(length));
const message: fc.Arbitrary<WireMessage> = fc.oneof(fc.tuple(cells), fc.tuple(cells, body));

export function testMessages(numRuns: number): void {
  test('messages arrive as they were written, however the bytes are cut, and wherever large ones are', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 80_000 }), { minLength: 1, maxLength: 20 });
    const room = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), cuts, room, (messages, sizes, most) => {
        const elsewhere = most === undefined ? undefined : largeMessages(most);
        const { got, stream } = reader(elsewhere?.large);
        const bytes = Buffer.concat(messages.map((each) => bytesOf(each, elsewhere?.large)));
        // One chunk is written over by the next, as by a socket that reads into one buffer.
        const chunk = Buffer.alloc(80_000);
        for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
          const size = bytes.copy(chunk, 0, at, at + (sizes[cut % sizes.length] as number));
          stream.push(chunk.subarray(0, size));
          at += size;
        }
        expect(got).toEqual(messages);
        expect(elsewhere?.kept.size ?? 0).toBe(0);
      }),
      { numRuns },
    );
  });
}
