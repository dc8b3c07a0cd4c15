import { expect, test } from 'vitest';
import { createHeadReader } from '../../src/reading/http/head-reader.ts';
import { byteByByte, pushAll } from '../fixtures/split.ts';

// Were the time quadratic, this would take hours.
test('createHeadReader() reads 1 MiB byte by byte', () => {
  const reader = createHeadReader({ headBytes: 2 ** 21 });
  const text = `GET / HTTP/1.1\r\nHost: a\r\nConnection: ${' x\t'.repeat(2 ** 18)}\r\n`;
  const head = Buffer.from(
    `${text}${'Y: z\r\n'.repeat(900)}Upgrade: ${' \t'.repeat(2 ** 17)}y\r\n\r\n`,
  );
  expect(head.length).toBeGreaterThan(2 ** 20);
  expect(pushAll(reader, byteByByte(head))).toMatchObject({ kind: 'http1', upgrade: false });
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'createHeadReader() takes no limit of %s bytes',
  (limit) => {
    expect(() => createHeadReader({ headBytes: limit })).toThrow(
      new RangeError(
        `Cannot gather bytes: \`limit\` must be an integer of 1 or more, got ${limit}`,
      ),
    );
  },
);
