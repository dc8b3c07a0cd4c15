import { expect, test } from 'vitest';
import { createHeadReader } from '../src/reading/http/head-reader.ts';
import type { Http1Head } from '../src/reading/http/head-state.ts';
import { disagreementWithNode } from './fixtures/compare-with-node.ts';
import { GOOD_HEADS } from './fixtures/head-corpus.ts';

const headBytes = 16_384;

test.each(GOOD_HEADS.map((head) => [head.toString('latin1'), head] as const))(
  'Node reads %j as createHeadReader() does',
  async (_text, bytes) => {
    const state = createHeadReader({ headBytes }).push(bytes) as Http1Head;
    expect(await disagreementWithNode(bytes, state)).toBeUndefined();
  },
);

const SINGLE_OR_NOT = [
  ...[
    'age',
    'authorization',
    'content-type',
    'content-encoding',
    'etag',
    'expires',
    'from',
    'date',
  ],
  ...['if-modified-since', 'if-unmodified-since', 'if-match', 'if-none-match', 'last-modified'],
  ...[
    'location',
    'max-forwards',
    'proxy-authorization',
    'referer',
    'retry-after',
    'server',
    'origin',
  ],
  ...['user-agent', 'accept', 'accept-encoding', 'cache-control', 'cookie', 'expect', 'forwarded'],
  ...[
    'x-forwarded-for',
    'x-forwarded-host',
    'via',
    'te',
    'trailer',
    'keep-alive',
    'upgrade',
    'range',
  ],
];

test.each(SINGLE_OR_NOT)('header() and Node return the same for a repeated %s', async (name) => {
  const bytes = Buffer.from(
    `GET / HTTP/1.1\r\nHost: a\r\n${name}: 1\r\n${name}:\r\n${name}: 2\r\n\r\n`,
  );
  const state = createHeadReader({ headBytes }).push(bytes) as Http1Head;
  expect(state.header(name)).toContain('1');
  expect(await disagreementWithNode(bytes, state)).toBeUndefined();
});
