import { expect, test } from 'vitest';
import type { WireMessage } from '../src/wire/wire-message.ts';
import { bytesOf, largeMessages, reader, testMessages } from './message-stream-cases.ts';

testMessages(20);

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
