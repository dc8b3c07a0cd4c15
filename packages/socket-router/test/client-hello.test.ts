import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClientHelloReader } from '../src/reading/tls/client-hello-reader.ts';
import {
  alpn,
  capturedHello,
  extension,
  helloMessage,
  recordsOf,
  serverName,
} from './fixtures/client-hello.ts';
import { byteByByte, pushAll, splitAt } from './fixtures/split.ts';

const limits = { helloBytes: 16_384 };
const read = (bytes: Uint8Array) => createClientHelloReader(limits).push(bytes);
const hello = (...extensions: Buffer[]) => recordsOf(helloMessage({ extensions }));
/** `server_name` with its bytes as given. */
const rawName = (hex: string) => hello(extension(0, Buffer.from(hex, 'hex')));

test.each([
  [
    'TLS 1.3 with a name and ALPN',
    { servername: 'Shop.Example', ALPNProtocols: ['h2', 'http/1.1'] },
    'shop.example',
    ['h2', 'http/1.1'],
  ],
  [
    'TLS 1.2 alone',
    { servername: 'a.example', maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
    'a.example',
    ['http/1.1'],
  ],
  [
    'TLS 1.3 alone, without ALPN',
    { servername: 'a.example', minVersion: 'TLSv1.3' },
    'a.example',
    [],
  ],
  ['neither name nor ALPN', { servername: '' }, undefined, []],
  [
    'a key share of ML-KEM, 1.6 kB',
    { servername: 'a.example', ecdhCurve: 'X25519MLKEM768' },
    'a.example',
    [],
  ],
] as const)(
  "createClientHelloReader() reads Node's own hello: %s",
  async (_what, options, sni, protocols) => {
    const { ecdhCurve, ALPNProtocols, ...rest } = {
      ecdhCurve: 'auto',
      ALPNProtocols: [],
      ...options,
    };
    const bytes = await capturedHello({
      ...rest,
      ...supported(ecdhCurve),
      ALPNProtocols: [...ALPNProtocols],
    });
    const expected = { kind: 'hello', sni, alpn: protocols };
    expect(read(bytes)).toEqual(expected);
    expect(pushAll(createClientHelloReader(limits), byteByByte(bytes))).toEqual(expected);
    const message = bytes.subarray(5);
    for (const fragmentBytes of [1, 3, 100, 517]) {
      const records = recordsOf(message, fragmentBytes);
      expect(read(records)).toEqual(expected);
      expect(pushAll(createClientHelloReader(limits), byteByByte(records))).toEqual(expected);
    }
  },
);

/** Node 20 and 22 have no ML-KEM. */
function supported(ecdhCurve: string): { ecdhCurve?: string } {
  return Number(process.versions.openssl.split('.')[1]) >= 5 ? { ecdhCurve } : {};
}

test('createClientHelloReader() takes a hello without extensions', () => {
  const bytes = recordsOf(helloMessage({ sessionIdBytes: 0, version: 0x0301 }));
  expect(read(bytes)).toEqual({ kind: 'hello', sni: undefined, alpn: [] });
  expect(read(hello())).toEqual({ kind: 'hello', sni: undefined, alpn: [] });
});

test('createClientHelloReader() skips GREASE and unknown extensions', () => {
  const bytes = hello(
    extension(0x1a1a, Buffer.alloc(0)),
    extension(0xfe0d, Buffer.alloc(200)),
    serverName([0, 'outer.example']),
    alpn('\x2a\x2a', 'h2', '\xfa\xfa'),
    extension(0xdada, Buffer.from([0])),
  );
  expect(read(bytes)).toEqual({ kind: 'hello', sni: 'outer.example', alpn: ['h2'] });
});

test('createClientHelloReader() ignores what follows the record of the hello', () => {
  const bytes = Buffer.concat([hello(serverName([0, 'a'])), Buffer.from([0x14, 3, 3, 0, 1, 1])]);
  expect(read(bytes)).toMatchObject({ kind: 'hello', sni: 'a' });
});

test.each([
  ['A.Example', 'a.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['_sip.a', '_sip.a'],
  [`${'a'.repeat(63)}.b`, `${'a'.repeat(63)}.b`],
  ['127.0.0.1', undefined],
  ['::1', undefined],
])('createClientHelloReader() gives the name %j as %j', (name, sni) => {
  expect(read(hello(serverName([0, name])))).toMatchObject({ kind: 'hello', sni });
});

test.each([
  ['an empty name', hello(serverName([0, '']))],
  ['an empty list', hello(serverName())],
  ['an empty extension', rawName('')],
  ['two names', hello(serverName([0, 'a'], [0, 'b']))],
  ['a name of another type', hello(serverName([1, 'a']))],
  ['bytes behind the list', rawName('0004000001610000')],
  ['a list longer than its extension', rawName('00050000016100')],
  ['a name longer than its list', rawName('00040000026161')],
  ['a dot at the end', hello(serverName([0, 'a.']))],
  ['two dots', hello(serverName([0, 'a..b']))],
  ['NUL', hello(serverName([0, 'a\0.b']))],
  ['a blank', hello(serverName([0, 'a b']))],
  ['a port', hello(serverName([0, 'a:1']))],
  ['a slash', hello(serverName([0, '../a']))],
  ['a letter above ASCII', hello(serverName([0, 'b\xfccher.example']))],
  ['a hyphen first', hello(serverName([0, '-a']))],
  ['a label of 64', hello(serverName([0, 'a'.repeat(64)]))],
  ['254 letters', hello(serverName([0, `${'a.'.repeat(126)}bc`]))],
])('createClientHelloReader() refuses a server name with %s', (_what, bytes) => {
  expect(read(bytes)).toEqual({ kind: 'refused', reason: 'server-name' });
});

const message = helloMessage({ extensions: [serverName([0, 'a'])] });
const record = recordsOf(message);
const changed = (at: number, byte: number) => {
  const bytes = Buffer.from(record);
  bytes[at] = byte;
  return bytes;
};

test.each([
  ['an empty protocol', hello(alpn('h2', '')), 'alpn'],
  ['no protocol', hello(alpn()), 'alpn'],
  ['an empty ALPN', hello(extension(16, Buffer.alloc(0))), 'alpn'],
  ['bytes behind the protocols', hello(extension(16, Buffer.from('0002016100', 'hex'))), 'alpn'],
  ['a protocol longer than its list', hello(extension(16, Buffer.from('00020261', 'hex'))), 'alpn'],
  [
    'a list of protocols past its extension',
    hello(extension(16, Buffer.from('00ff0161', 'hex'))),
    'alpn',
  ],
  [
    'two names in two extensions',
    hello(serverName([0, 'a']), serverName([0, 'a'])),
    'repeated-extension',
  ],
  ['ALPN twice', hello(alpn('h2'), alpn('h2')), 'repeated-extension'],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n'), 'record'],
  ['SSL 2', Buffer.from('802e0100020015', 'hex'), 'record'],
  ['a record of version 2', changed(1, 2), 'record'],
  ['an empty record', Buffer.from('1603010000', 'hex'), 'record'],
  ['a record over 16 KiB', Buffer.from('1603014001', 'hex'), 'record'],
  [
    'an alert within the hello',
    Buffer.concat([recordsOf(message.subarray(0, 9)), Buffer.from([0x15])]),
    'record',
  ],
  ['a ServerHello', changed(5, 2), 'not-client-hello'],
  ['a hello of version 2', changed(9, 2), 'malformed'],
  ['a session id of 33 bytes', recordsOf(helloMessage({ sessionIdBytes: 33 })), 'malformed'],
  ['no cipher suite', recordsOf(helloMessage({ cipherSuites: Buffer.alloc(0) })), 'malformed'],
  ['half a cipher suite', recordsOf(helloMessage({ cipherSuites: Buffer.alloc(3) })), 'malformed'],
  ['no compression', recordsOf(helloMessage({ compression: Buffer.alloc(0) })), 'malformed'],
  [
    'bytes behind the extensions',
    recordsOf(helloMessage({ extensions: [], behind: Buffer.alloc(1) })),
    'malformed',
  ],
  [
    'a byte behind the compression',
    recordsOf(helloMessage({ behind: Buffer.alloc(1) })),
    'malformed',
  ],
  ['half an extension', hello(Buffer.from([0, 0, 0])), 'malformed'],
  ['an extension past the end', hello(Buffer.from([0, 0, 0, 1])), 'malformed'],
  ['an empty hello', recordsOf(Buffer.from([1, 0, 0, 0])), 'malformed'],
  [
    'a message behind it in its record',
    recordsOf(Buffer.concat([message, message])),
    'trailing-bytes',
  ],
  ['a length over the limit', recordsOf(Buffer.from([1, 0, 0x40, 1])), 'hello-too-large'],
  [
    'more records than the limit has room for',
    recordsOf(helloMessage({ extensions: [extension(21, Buffer.alloc(4000))] }), 1),
    'hello-too-large',
  ],
])('createClientHelloReader() refuses %s', (_what, bytes, reason) => {
  expect(read(bytes)).toEqual({ kind: 'refused', reason });
  const reader = createClientHelloReader(limits);
  const refused = pushAll(reader, byteByByte(bytes));
  expect(refused).toEqual({ kind: 'refused', reason });
  expect(reader.push(record)).toBe(refused);
});

test('createClientHelloReader() takes a hello of exactly as many bytes as the limit', () => {
  for (const pieces of [[record], byteByByte(record)]) {
    const exact = createClientHelloReader({ helloBytes: record.length });
    expect(pushAll(exact, pieces).kind).toBe('hello');
    const tooFew = createClientHelloReader({ helloBytes: record.length - 1 });
    expect(pushAll(tooFew, pieces)).toEqual({ kind: 'refused', reason: 'hello-too-large' });
  }
});

const label = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9-]{0,10}[A-Za-z0-9])?$/);
// A last label of letters, so that no name is an address.
const name = fc.tuple(fc.array(label, { maxLength: 4 }), fc.stringMatching(/^[A-Za-z]{2,8}$/));
const protocol = fc.string({
  minLength: 1,
  maxLength: 12,
  unit: fc.constantFrom('h', '2', '/', '.', '1'),
});

test('encoded hellos are read back, in any records and any cuts: 1,000 hellos', () => {
  fc.assert(
    fc.property(
      fc.option(
        name.map(([labels, last]) => [...labels, last].join('.')),
        { nil: undefined },
      ),
      fc.array(protocol, { maxLength: 4 }),
      fc.array(fc.tuple(fc.integer({ min: 17, max: 65_535 }), fc.uint8Array({ maxLength: 40 })), {
        maxLength: 4,
      }),
      fc.integer({ min: 1, max: 400 }),
      fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
      (sni, protocols, others, fragmentBytes, places) => {
        const extensions = others.map(([type, body]) => extension(type, Buffer.from(body)));
        if (sni !== undefined) extensions.unshift(serverName([0, sni]));
        if (protocols.length > 0) extensions.push(alpn(...protocols));
        const bytes = recordsOf(helloMessage({ extensions }), fragmentBytes);
        const expected = { kind: 'hello', sni: sni?.toLowerCase(), alpn: protocols };
        expect(pushAll(createClientHelloReader(limits), splitAt(bytes, places))).toEqual(expected);
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([0, 1.5, Number.NaN])('createClientHelloReader() takes no limit of %s bytes', (limit) => {
  expect(() => createClientHelloReader({ helloBytes: limit })).toThrow(
    new RangeError(`Cannot gather bytes: \`limit\` must be an integer of 1 or more, got ${limit}`),
  );
});
