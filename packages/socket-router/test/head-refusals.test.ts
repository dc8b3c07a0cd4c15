import { expect, test } from 'vitest';
import { createHeadReader } from '../src/reading/http/head-reader.ts';
import { HEAD_REFUSALS } from '../src/reading/http/head-state.ts';
import { OTHER_REFUSALS, SMUGGLING_SHAPES } from './fixtures/head-refusals.ts';
import { byteByByte, pushAll } from './fixtures/split.ts';

const headBytes = 16_384;

test.each([...SMUGGLING_SHAPES, ...OTHER_REFUSALS])(
  'createHeadReader() refuses %s',
  (_shape, head, status, reason) => {
    const bytes = Buffer.from(head, 'latin1');
    const refused = { kind: 'refused', status, reason };
    expect(createHeadReader({ headBytes }).push(bytes)).toEqual(refused);
    expect(pushAll(createHeadReader({ headBytes }), byteByByte(bytes))).toEqual(refused);
  },
);

test('the tables of refusals contain each reason', () => {
  const met = new Set([...SMUGGLING_SHAPES, ...OTHER_REFUSALS].map(([, , , reason]) => reason));
  expect([...met].sort()).toEqual(Object.keys(HEAD_REFUSALS).sort());
});

test('createHeadReader() keeps a refusal whatever follows', () => {
  const reader = createHeadReader({ headBytes });
  const refused = reader.push(Buffer.from('\n'));
  expect(reader.push(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))).toBe(refused);
});

test('createHeadReader() refuses at the first byte that shows it', () => {
  const reader = createHeadReader({ headBytes });
  expect(reader.push(Buffer.from('GET / HTTP/1.1\r\nContent-Length : 1')).kind).toBe('incomplete');
  expect(reader.push(Buffer.from('\r\n'))).toMatchObject({ reason: 'space-before-colon' });
  expect(createHeadReader({ headBytes }).push(Buffer.from('GET /x\0'))).toMatchObject({
    reason: 'nul',
  });
});
