import { scaled } from '@ticketing/test-kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type LargeMessages,
  MessageStream,
  messageData,
} from '../../src/process/message-stream.ts';
import type { WireMessage } from '../../src/wire/wire-message.ts';

function reader(large?: LargeMessages) {
  const got: WireMessage[] = [];
  const stream = new MessageStream(([cells, body]) => {
    got.push(body === undefined ? [cells] : [cells, Uint8Array.from(body)]);
  }, large);
  return { got, stream };
}

/** Returns a message as a socket writes it. */
function bytesOf(message: WireMessage, large?: LargeMessages): Uint8Array {
  const data = messageData(message, large);
  return typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
}

/** A place for large messages that has room for `most`; both sides use this one. */
function largeMessages(most: number) {
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
    { numRuns: scaled({ fast: 20, full: 100 }) },
  );
});

test('a message that comes byte by byte is read in steps in proportion to its bytes', () => {
  const { got, stream } = reader();
  const sent: WireMessage = [`["${'é'.repeat(20_000)}"]`, new Uint8Array(20_000).fill(7)];
  for (const byte of Buffer.concat([bytesOf(sent), bytesOf(sent)])) {
    stream.push(Buffer.of(byte));
  }
  expect(got).toEqual([sent, sent]);
});

test('bytes are copied when they are written', () => {
  const body = Uint8Array.of(1, 2);
  const bytes = bytesOf(['[0]', body]);
  body.fill(9);
  const { got, stream } = reader();
  stream.push(Buffer.from(bytes));
  expect(got).toEqual([['[0]', Uint8Array.of(1, 2)]]);
});

test('large messages are elsewhere, and the next message reports how many have been read', () => {
  const { large, confirmed } = largeMessages(9);
  const { got, stream } = reader(large);
  const text = 'x'.repeat(64 * 1024);
  const bytes = bytesOf([text, Uint8Array.of(1)], large);
  expect(bytes.byteLength).toBe(16);
  // Its place comes later.
  stream.push(Buffer.from(bytes.subarray(0, 14)));
  expect(got).toEqual([]);
  stream.push(Buffer.from(bytes.subarray(14)));
  expect(got).toEqual([[text, Uint8Array.of(1)]]);
  for (const answer of [['[0]'], ['[é]', Uint8Array.of(2)], [text]] as WireMessage[]) {
    stream.push(Buffer.from(bytesOf(answer, large)));
    expect(got.at(-1)).toEqual(answer);
  }
  expect(confirmed).toEqual([1]);
  stream.push(Buffer.from(bytesOf([''], large)));
  expect(confirmed).toEqual([1, 2]);
  expect(bytesOf(['x'.repeat(64 * 1024 - 1)], large).byteLength).toBeGreaterThan(64 * 1024);
});

test.each([
  ['another mark', Buffer.alloc(12, 'none of ours'), 'unknown header, got 0x656e6f6e'],
  [
    'a large message where there is no place for it',
    Buffer.from('0300c17d010000000000000000000000', 'hex'),
    'there is no file for large ones',
  ],
  [
    'a report of such messages',
    Buffer.from('0500c17d010000000000000000000000', 'hex'),
    'there is no file for large ones',
  ],
  [
    'a large text that no engine can hold',
    Buffer.from('0400c17dffffffff00000000', 'hex'),
    'a text of 4294967295 bytes is too long',
  ],
  [
    'a text that no engine can hold',
    Buffer.from('0100c17dffffffff00000000', 'hex'),
    'a text of 4294967295 bytes is too long',
  ],
])('%s is an error', (_name, bytes, why) => {
  const { got, stream } = reader();
  expect(() => stream.push(bytes)).toThrow(`Cannot read messages: ${why}`);
  expect(got).toEqual([]);
});

test('a message without text or body is one', () => {
  const { got, stream } = reader();
  stream.push(Buffer.from(bytesOf([''])));
  expect(got).toEqual([['']]);
});
