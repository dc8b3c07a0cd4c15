import { expect, test } from 'vitest';
import { createSharedBodies } from '../src/http/index.ts';
import { platformEncodings } from '../src/http/platform-encodings.ts';

const action = 'Cannot create shared bodies';
const encode = async (_: string, body: Uint8Array) => body;

test.each([
  [null, '`options` must be an object, got null'],
  [{ minByte: 5 }, 'unknown option `minByte`; did you mean `minBytes`?'],
  [
    { encodings: ['deflate'] },
    `\`encodings\` must be a list of ${platformEncodings.join(', ')}, or have option \`encode\` beside it, got deflate`,
  ],
  [{ encodings: ['*'], encode }, '`encodings` must be a list of content codings, got *'],
  [
    { encodings: ['Identity'], encode },
    '`encodings` must be a list of content codings, got Identity',
  ],
  [{ encodings: 'br', encode }, '`encodings` must be a list of content codings, got br'],
  [{ preference: 'none' }, '`preference` must be one of server, client, got none'],
  [{ encode: 'br' }, '`encode` must be a function, got br'],
  [{ etag: 'weak' }, '`etag` must be true or false, got weak'],
])('createSharedBodies(%j) is refused', (options, message) => {
  expect(() => createSharedBodies(options as never)).toThrow(
    new TypeError(`${action}: ${message}`),
  );
});

test.each([
  [{ minBytes: -1 }, '`minBytes` must be an integer of 0 to 9007199254740991, got -1'],
  [{ maxEncoded: 0 }, '`maxEncoded` must be an integer of 1 or more, got 0'],
  [{ maxBytes: 0.5 }, '`maxBytes` must be an integer of 1 or more, got 0.5'],
  [{ concurrency: 0 }, '`concurrency` must be an integer of 1 or more, got 0'],
  [{ maxQueued: -1 }, '`maxQueued` must be an integer of 0 to 9007199254740991, got -1'],
])('createSharedBodies(%j) is out of range', (options, message) => {
  expect(() => createSharedBodies(options)).toThrow(new RangeError(`${action}: ${message}`));
});

test('a body must be bytes', async () => {
  const bodies = createSharedBodies();
  const request = { headers: {} };
  for (const [body, got] of [
    ['text', 'text'],
    [undefined, 'undefined'],
    [[1], '1'],
  ] as const) {
    await expect(bodies.answer(request, { body } as never)).rejects.toThrow(
      new TypeError(`Cannot answer with a shared body: \`body\` must be a Uint8Array, got ${got}`),
    );
  }
  expect(bodies.stats().asked).toBe(0);
});

test('codings of its own need `encode`', async () => {
  const bodies = createSharedBodies({
    encodings: ['X-Half'],
    encode: async (_, body) => body.slice(1),
    minBytes: 0,
  });
  const request = { headers: { 'accept-encoding': 'x-half' } };
  const { headers } = await bodies.answer(request, { body: Buffer.from('body') });
  expect(headers['content-encoding']).toBe('x-half');
});
