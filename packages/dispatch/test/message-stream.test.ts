import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageStream, messageData } from '../src/wire/message-stream.ts';
import type { WireMessage } from '../src/wire/wire-message.ts';

function reader() {
  const got: WireMessage[] = [];
  const stream = new MessageStream(([cells, body]) => {
    got.push(body === undefined ? [cells] : [cells, Uint8Array.from(body)]);
  });
  return { got, stream };
}

/** As a socket writes it. */
function bytesOf(message: WireMessage): Uint8Array {
  const data = messageData(message);
  return typeof data === 'string' ? Buffer.from(data, 'latin1') : data;
}

const cells = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.integer({ min: 60_000, max: 100_000 }).map((length) => 'x'.repeat(length)),
);
const body = fc
  .integer({ min: 1, max: 90_000 })
  .map((length) => new Uint8Array(length).fill(length));
const message: fc.Arbitrary<WireMessage> = fc.oneof(fc.tuple(cells), fc.tuple(cells, body));

test('messages arrive as they were written, however the bytes are cut', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 80_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 6 }), cuts, (messages, sizes) => {
      const { got, stream } = reader();
      const bytes = Buffer.concat(messages.map(bytesOf));
      // One chunk is written over by the next, as by a socket that reads into one buffer.
      const chunk = Buffer.alloc(80_000);
      for (let at = 0, cut = 0; at < bytes.length; cut += 1) {
        const size = bytes.copy(chunk, 0, at, at + (sizes[cut % sizes.length] as number));
        stream.push(chunk.subarray(0, size));
        at += size;
      }
      expect(got).toEqual(messages);
    }),
    { numRuns: 100 },
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

test.each([
  ['another mark', Buffer.alloc(12, 'none of ours')],
  ['a text that no engine can hold', Buffer.from('0100c17dffffffff00000000', 'hex')],
])('%s is an error', (_name, bytes) => {
  const { got, stream } = reader();
  expect(() => stream.push(bytes)).toThrow('Cannot read messages: these bytes are none');
  expect(got).toEqual([]);
});

test('a message without text or body is one', () => {
  const { got, stream } = reader();
  stream.push(Buffer.from(bytesOf([''])));
  expect(got).toEqual([['']]);
});
