import { expect, test } from 'vitest';
import { createHeadReader } from '../src/reading/http/head-reader.ts';
import type { Http1Head } from '../src/reading/http/head-state.ts';
import { GOOD_HEADS } from './fixtures/head-corpus.ts';
import { byteByByte, pushAll } from './fixtures/split.ts';

const headBytes = 16_384;

function read(text: string): Http1Head {
  const state = createHeadReader({ headBytes }).push(Buffer.from(text, 'latin1'));
  if (state.kind !== 'http1') throw new Error(`Cannot read head: ${JSON.stringify(state)}`);
  return state;
}

test('createHeadReader() returns the request line, the headers and where the head ends', () => {
  const head =
    'POST /a?b HTTP/1.1\r\nHost: A.example:80\r\nX-One: \t1 \t\r\nContent-Length: 3\r\n\r\n';
  const state = read(`${head}abcGET /next`);
  expect(state).toMatchObject({
    kind: 'http1',
    method: 'POST',
    target: '/a?b',
    version: '1.1',
    upgrade: false,
    body: { kind: 'length', bytes: 3 },
    headBytes: head.length,
  });
  expect(state.header('HOST')).toBe('A.example:80');
  expect(state.header('x-one')).toBe('1');
  expect(state.header('x-none')).toBeUndefined();
});

test('createHeadReader() counts empty lines before the request as bytes of the head', () => {
  const text = '\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n';
  expect(read(`${text}\r\n`).headBytes).toBe(text.length);
});

test.each(GOOD_HEADS.map((head) => [head.toString('latin1'), head] as const))(
  'createHeadReader() takes %j byte by byte as at once',
  (_text, bytes) => {
    const reader = createHeadReader({ headBytes });
    const pieces = byteByByte(bytes);
    for (const piece of pieces.slice(0, -1)) expect(reader.push(piece).kind).toBe('incomplete');
    const state = reader.push(pieces.at(-1) as Uint8Array);
    const atOnce = createHeadReader({ headBytes }).push(bytes);
    expect(JSON.stringify(state)).toBe(JSON.stringify(atOnce));
    expect(state).toMatchObject({ kind: 'http1', headBytes: bytes.length });
  },
);

test('header() combines repeated headers as Node does', () => {
  const state = read(
    'GET / HTTP/1.1\r\nHost: a\r\nCookie: a=1\r\nX: 1\r\ncookie: b=2\r\nx: 2\r\nReferer: r\r\nReferer: s\r\nX:\r\n\r\n',
  );
  expect(state.header('Cookie')).toBe('a=1; b=2');
  expect(state.header('X')).toBe('1, 2, ');
  expect(state.header('Referer')).toBe('r');
});

test.each([
  ['GET', 'Connection: Upgrade\r\nUpgrade: websocket', true],
  ['GET', 'Connection: keep-alive , UPGRADE\r\nUpgrade: websocket', true],
  ['POST', 'Proxy-Connection: upgrade\r\nUpgrade: h2c', true],
  ['GET', 'Connection: close\r\nConnection: upgrade\r\nUpgrade: x', true],
  ['GET', 'Upgrade: websocket', false],
  ['GET', 'Connection: upgrade', false],
  ['GET', 'Connection: upgrade\r\nUpgrade:', false],
  ['GET', 'Connection: upgrade x\r\nUpgrade: x', false],
])(
  'createHeadReader() detects whether a %s with %j asks for an upgrade',
  (method, lines, upgrade) => {
    expect(read(`${method} / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n`).upgrade).toBe(upgrade);
  },
);

test('createHeadReader() reports a CONNECT as an upgrade', () => {
  expect(read('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n').upgrade).toBe(true);
});

test('createHeadReader() recognises the preface of HTTP/2 when it is whole', () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  expect(createHeadReader({ headBytes }).push(preface)).toEqual({ kind: 'h2c' });
  expect(pushAll(createHeadReader({ headBytes }), byteByByte(preface))).toEqual({ kind: 'h2c' });
  const withFrames = Buffer.concat([preface, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])]);
  expect(createHeadReader({ headBytes }).push(withFrames)).toEqual({ kind: 'h2c' });
  expect(createHeadReader({ headBytes }).push(preface.subarray(0, -1)).kind).toBe('incomplete');
});

test('createHeadReader() recognises TLS by its first byte', () => {
  expect(createHeadReader({ headBytes }).push(Uint8Array.of(0x16))).toEqual({ kind: 'tls' });
});

test('createHeadReader() takes a head of exactly as many bytes as the limit, and none of one more', () => {
  const head = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const exact = { headBytes: head.length };
  const tooFew = { headBytes: head.length - 1 };
  for (const pieces of [[head], byteByByte(head)]) {
    expect(pushAll(createHeadReader(exact), pieces).kind).toBe('http1');
    expect(pushAll(createHeadReader(tooFew), pieces)).toMatchObject({ status: 431 });
  }
  const withBody = Buffer.concat([head, Buffer.alloc(100)]);
  expect(createHeadReader(exact).push(withBody)).toMatchObject({ headBytes: head.length });
});

test('createHeadReader() waits on an empty chunk', () => {
  expect(createHeadReader({ headBytes }).push(new Uint8Array()).kind).toBe('incomplete');
});

test('createHeadReader() does not write into its chunks', () => {
  const first = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r');
  const roomy = Buffer.alloc(100, 'x');
  first.copy(roomy);
  const reader = createHeadReader({ headBytes });
  reader.push(roomy.subarray(0, first.length));
  expect(reader.push(Buffer.from('\n')).kind).toBe('http1');
  expect(roomy.toString('latin1', first.length)).toBe('x'.repeat(100 - first.length));
});
