import { isIPv6, SocketAddress } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../src/reading/proxy-protocol/crc32c.ts';
import { createProxyReader } from '../src/reading/proxy-protocol/proxy-protocol.ts';
import { block, blockWithChecksum, ipv4, tlv, unixPaths } from './fixtures/proxy-header.ts';
import { byteByByte, pushAll, splitAt } from './fixtures/split.ts';

const read = (bytes: Uint8Array) => createProxyReader().push(bytes);
const REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
const addresses = ipv4([192, 0, 2, 1], [198, 51, 100, 255], [65_535, 443]);
const endpoints = {
  source: { family: 'ipv4', address: '192.0.2.1', port: 65_535 },
  destination: { family: 'ipv4', address: '198.51.100.255', port: 443 },
};
const ipv6 = (hex: string) => Buffer.from(hex.padEnd(32, '0'), 'hex');
const ports = Buffer.from([0, 1, 0, 2]);

test.each([
  [
    'TCP4 of version 1',
    Buffer.from('PROXY TCP4 192.0.2.1 198.51.100.255 65535 443\r\n'),
    { version: 1, command: 'proxy', ...endpoints },
  ],
  [
    'TCP6 of version 1, addresses in their shortest form',
    Buffer.from('PROXY TCP6 2001:DB8:0:0:0:0:0:1 ::ffff:192.0.2.1 0 1\r\n'),
    {
      version: 1,
      command: 'proxy',
      source: { family: 'ipv6', address: '2001:db8::1', port: 0 },
      destination: { family: 'ipv6', address: '::ffff:192.0.2.1', port: 1 },
    },
  ],
  ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), { version: 1, command: 'proxy' }],
  [
    'UNKNOWN with the longest line',
    Buffer.from(`PROXY UNKNOWN ${'ffff:'.repeat(7)}ffff ${'ffff:'.repeat(7)}ffff 65535 65535\r\n`),
    { version: 1, command: 'proxy' },
  ],
  ['LOCAL', block(0x20, 0), { version: 2, command: 'local' }],
  [
    'LOCAL with what is to be discarded',
    block(0x20, 0x99, Buffer.alloc(7)),
    { version: 2, command: 'local' },
  ],
  ['UNSPEC', block(0x21, 0, Buffer.alloc(7)), { version: 2, command: 'proxy' }],
  ['TCP over IPv4', block(0x21, 0x11, addresses), { version: 2, command: 'proxy', ...endpoints }],
  ['UDP over IPv4', block(0x21, 0x12, addresses), { version: 2, command: 'proxy', ...endpoints }],
  [
    'IPv6',
    block(0x21, 0x21, ipv6('20010db8'), ipv6('00000000000000000000ffffc0000201'), ports),
    {
      version: 2,
      command: 'proxy',
      source: { family: 'ipv6', address: '2001:db8::', port: 1 },
      destination: { family: 'ipv6', address: '::ffff:192.0.2.1', port: 2 },
    },
  ],
  [
    'AF_UNIX',
    block(0x21, 0x31, unixPaths('/run/a.sock', '\0abstract')),
    {
      version: 2,
      command: 'proxy',
      source: { family: 'unix', address: '/run/a.sock', port: 0 },
      destination: { family: 'unix', address: '@abstract', port: 0 },
    },
  ],
  [
    'AF_UNIX without a name, and with one of 108 bytes',
    block(0x21, 0x32, unixPaths('', 'x'.repeat(108))),
    {
      version: 2,
      command: 'proxy',
      source: { family: 'unix', address: '', port: 0 },
      destination: { family: 'unix', address: 'x'.repeat(108), port: 0 },
    },
  ],
  [
    'TLVs',
    block(
      0x21,
      0x11,
      addresses,
      tlv(4, Buffer.alloc(0)),
      tlv(0xea, Buffer.from('vpce')),
      tlv(0x20, Buffer.alloc(300)),
    ),
    { version: 2, command: 'proxy', ...endpoints },
  ],
  [
    'a right checksum',
    blockWithChecksum(0x11, [addresses, tlv(4, Buffer.from('pad'))]),
    { version: 2, command: 'proxy', ...endpoints },
  ],
  [
    '4 KiB',
    block(0x21, 0x11, addresses, tlv(4, Buffer.alloc(4096 - 28 - 3))),
    { version: 2, command: 'proxy', ...endpoints },
  ],
] as const)('createProxyReader() reads %s', (_what, bytes, expected) => {
  const proxy = { kind: 'proxy', ...expected, headerBytes: bytes.length };
  expect(read(bytes)).toEqual(proxy);
  expect(read(Buffer.concat([bytes, REQUEST]))).toEqual(proxy);
  const pieces = byteByByte(Buffer.concat([bytes, REQUEST]));
  expect(pushAll(createProxyReader(), pieces)).toEqual(proxy);
  expect(read(bytes.subarray(0, -1)).kind).toBe('incomplete');
});

const line = (text: string) => Buffer.from(`PROXY ${text}\r\n`, 'latin1');

test.each([
  ['another protocol', line('TCP5 1.2.3.4 5.6.7.8 1 2'), 'line'],
  ['a lower-case protocol', line('tcp4 1.2.3.4 5.6.7.8 1 2'), 'line'],
  ['no protocol', line(''), 'line'],
  ['two blanks', line('TCP4  1.2.3.4 5.6.7.8 1 2'), 'line'],
  ['a blank at the end', line('TCP4 1.2.3.4 5.6.7.8 1 2 '), 'line'],
  ['a port less', line('TCP4 1.2.3.4 5.6.7.8 1'), 'line'],
  ['a bare LF', Buffer.from('PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n'), 'line'],
  ['a bare CR', Buffer.from('PROXY TCP4 1.2.3.4 5.6.7.8 1 2\rX'), 'line'],
  ['a zero in front of a number', line('TCP4 01.2.3.4 5.6.7.8 1 2'), 'address'],
  [
    'a unix path that reads like an address',
    block(0x21, 0x31, unixPaths('10.0.0.1', '/a')),
    'address',
  ],
  ['three numbers', line('TCP4 1.2.3 5.6.7.8 1 2'), 'address'],
  ['256', line('TCP4 1.2.3.256 5.6.7.8 1 2'), 'address'],
  ['IPv6 in TCP4', line('TCP4 ::1 ::1 1 2'), 'address'],
  ['IPv4 in TCP6', line('TCP6 1.2.3.4 5.6.7.8 1 2'), 'address'],
  ['a zone', line('TCP6 fe80::1%eth0 ::1 1 2'), 'address'],
  ['a wrong destination', line('TCP6 ::1 ::g 1 2'), 'address'],
  ['a port too high', line('TCP4 1.2.3.4 5.6.7.8 65536 2'), 'port'],
  ['a zero in front of a port', line('TCP4 1.2.3.4 5.6.7.8 1 02'), 'port'],
  ['a negative port', line('TCP4 1.2.3.4 5.6.7.8 -1 2'), 'port'],
  ['a hexadecimal port', line('TCP4 1.2.3.4 5.6.7.8 0x1 2'), 'port'],
  ['108 bytes', line(`UNKNOWN ${'x'.repeat(92)}`), 'line-too-long'],
  ['107 bytes without an end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(93)}`), 'line-too-long'],
  ['version 1 in a block', block(0x11, 0x11, addresses), 'version'],
  ['version 3', block(0x31, 0x11, addresses), 'version'],
  ['another command', block(0x22, 0x11, addresses), 'command'],
  ['another family', block(0x21, 0x41, addresses), 'family'],
  ['another transport', block(0x21, 0x13, addresses), 'family'],
  ['addresses cut short', block(0x21, 0x11, addresses.subarray(1)), 'length'],
  ['IPv6 with the addresses of IPv4', block(0x21, 0x21, addresses), 'length'],
  ['half a TLV', block(0x21, 0x11, addresses, Buffer.from([4, 0])), 'length'],
  ['a TLV past the end', block(0x21, 0x11, addresses, Buffer.from([4, 0, 2, 0])), 'length'],
  ['a wrong checksum', blockWithChecksum(0x11, [addresses], 1), 'checksum'],
  ['a checksum of 3 bytes', block(0x21, 0x11, addresses, tlv(3, Buffer.alloc(3))), 'checksum'],
  [
    'more than 4 KiB',
    block(0x21, 0x11, addresses, tlv(4, Buffer.alloc(4096 - 28 - 2))),
    'header-too-large',
  ],
  ['64 KiB', block(0x20, 0, Buffer.alloc(65_535)), 'header-too-large'],
])('createProxyReader() refuses %s', (_what, bytes, reason) => {
  expect(read(bytes)).toEqual({ kind: 'refused', reason });
  const reader = createProxyReader();
  const refused = pushAll(reader, byteByByte(bytes));
  expect(refused).toEqual({ kind: 'refused', reason });
  expect(reader.push(REQUEST)).toBe(refused);
});

test.each([
  REQUEST,
  Buffer.from('POST /'),
  Buffer.from('PROPFIND /'),
  Buffer.from('PROXYTCP4'),
  Buffer.from('\r\n\r\nGET /'),
  Buffer.from('\r\n\r\n\0\r\nQUIT\r'),
  Buffer.from([0x16, 3, 1]),
])('createProxyReader() finds no header in %j', (bytes) => {
  expect(read(bytes)).toEqual({ kind: 'none' });
  expect(pushAll(createProxyReader(), byteByByte(bytes))).toEqual({ kind: 'none' });
});

test('createProxyReader() waits while the bytes may still be a header', () => {
  for (const text of ['', 'P', 'PROXY', 'PROXY ', '\r', '\r\n\r\n\0\r\nQUIT\n']) {
    expect(read(Buffer.from(text)).kind).toBe('incomplete');
  }
});

// The check value of the algorithm, and the first vector of RFC 3720 B.4.
test('crc32c() computes published values', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
});

const places = fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });
const port = fc.integer({ min: 0, max: 65_535 });
const short = (address: string) => new SocketAddress({ family: 'ipv6', address }).address;

test('headers encoded as version 1 are read back, in any cuts: 1,000 lines', () => {
  const pair = fc.oneof(fc.tuple(fc.ipV4(), fc.ipV4()), fc.tuple(fc.ipV6(), fc.ipV6()));
  fc.assert(
    fc.property(pair, port, port, places, ([from, to], fromPort, toPort, cuts) => {
      const family = isIPv6(from) ? 'ipv6' : 'ipv4';
      const text = `PROXY TCP${family === 'ipv6' ? 6 : 4} ${from} ${to} ${fromPort} ${toPort}\r\n`;
      const address = family === 'ipv6' ? short : (one: string) => one;
      const bytes = Buffer.concat([Buffer.from(text), REQUEST]);
      expect(pushAll(createProxyReader(), splitAt(bytes, cuts))).toEqual({
        kind: 'proxy',
        version: 1,
        command: 'proxy',
        source: { family, address: address(from), port: fromPort },
        destination: { family, address: address(to), port: toPort },
        headerBytes: text.length,
      });
    }),
    { numRuns: 1000 },
  );
});

test('headers encoded as version 2 are read back, in any cuts: 1,000 blocks', () => {
  const four = fc.uint8Array({ minLength: 4, maxLength: 4 });
  const tlvs = fc.array(
    fc.tuple(fc.integer({ min: 4, max: 255 }), fc.uint8Array({ maxLength: 30 })),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(
      four,
      four,
      port,
      port,
      tlvs,
      fc.boolean(),
      places,
      (from, to, fromPort, toPort, others, isChecked, cuts) => {
        const parts = [
          ipv4([...from], [...to], [fromPort, toPort]),
          ...others.map(([type, value]) => tlv(type, value)),
        ];
        const header = isChecked ? blockWithChecksum(0x11, parts) : block(0x21, 0x11, ...parts);
        const bytes = Buffer.concat([header, REQUEST]);
        expect(pushAll(createProxyReader(), splitAt(bytes, cuts))).toEqual({
          kind: 'proxy',
          version: 2,
          command: 'proxy',
          source: { family: 'ipv4', address: from.join('.'), port: fromPort },
          destination: { family: 'ipv4', address: to.join('.'), port: toPort },
          headerBytes: header.length,
        });
      },
    ),
    { numRuns: 1000 },
  );
});
