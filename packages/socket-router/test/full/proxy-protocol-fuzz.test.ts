import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { createProxyReader } from '../../src/reading/proxy-protocol/proxy-protocol.ts';
import { mutate } from '../fixtures/mutate.ts';
import { block, blockWithChecksum, ipv4, tlv, unixPaths } from '../fixtures/proxy-header.ts';
import { createRandom, fuzzSettings } from '../fixtures/random.ts';
import { byteByByte, pushAll } from '../fixtures/split.ts';

const { runs, seed } = fuzzSettings();
const addresses = ipv4([1, 2, 3, 4], [5, 6, 7, 8], [9, 10]);

test(
  `createProxyReader() throws at no mutated header, and reads any cut alike: ${runs} headers`,
  () => {
    const random = createRandom(seed);
    const corpus = [
      Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1024 443\r\n'),
      Buffer.from('PROXY TCP6 2001:db8::1 ::ffff:1.2.3.4 1024 443\r\n'),
      Buffer.from('PROXY UNKNOWN\r\n'),
      block(0x20, 0),
      block(0x21, 0x11, addresses, tlv(4, Buffer.alloc(3))),
      block(0x21, 0x21, Buffer.alloc(36, 1)),
      block(0x21, 0x31, unixPaths('/a', '/b')),
      blockWithChecksum(0x11, [addresses]),
    ];
    const pieces = [
      '\r\n',
      '\n',
      '\r',
      ' ',
      '0',
      '::',
      '%',
      'ffff',
      '65536',
      '\0',
      'TCP6',
      '\x21\x11\0\x0c',
    ].map((piece) => Buffer.from(piece, 'latin1'));
    const counts: Record<string, number> = { proxy: 0, refused: 0, incomplete: 0, none: 0 };
    for (let run = 0; run < runs; run += 1) {
      const bytes = mutate(random.oneOf(corpus), pieces, random);
      const state = createProxyReader().push(bytes);
      counts[state.kind] = (counts[state.kind] ?? 0) + 1;
      if (state.kind === 'proxy' && state.source && state.source.family !== 'unix') {
        expect(isIP(state.source.address), bytes.toString('latin1')).not.toBe(0);
      }
      if (run % 16 > 0) continue;
      const again = pushAll(createProxyReader(), byteByByte(bytes));
      expect(again, bytes.toString('latin1')).toEqual(state);
    }
    for (const kind of ['proxy', 'refused', 'incomplete', 'none']) {
      expect(counts[kind], kind).toBeGreaterThan(runs / 50);
    }
  },
  Math.max(60_000, runs),
);
