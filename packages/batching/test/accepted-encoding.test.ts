import fc from 'fast-check';
import Negotiator from 'negotiator';
import { expect, test } from 'vitest';
import { acceptedEncoding } from '../src/http/accepted-encoding.ts';

const encodings = ['br', 'zstd', 'gzip'];

test.each([
  ['', undefined, undefined],
  ['br', 'br', 'br'],
  ['GZIP', 'gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br', 'gzip'],
  ['gzip;q=0.5, br;q=0.9', 'br', 'br'],
  ['gzip ; Q = 0.5 , br;q=0.9', 'br', 'br'],
  ['br;q=0.2, gzip;q=0.8, *;q=0.1', 'gzip', 'gzip'],
  ['br;q=0, *', 'zstd', 'zstd'],
  ['br;q=0, gzip;q=0', undefined, undefined],
  ['identity, br;q=0.5', undefined, undefined],
  ['identity, br', 'br', undefined],
  ['identity;q=0, gzip;q=0.001', 'gzip', 'gzip'],
  ['deflate', undefined, undefined],
  ['*', 'br', 'br'],
  ['*;q=0', undefined, undefined],
  ['gzip;q=0.2, gzip;q=0.8, br;q=0.5', 'gzip', 'gzip'],
  ['br;q=none', undefined, undefined],
  [', ,gzip,', 'gzip', 'gzip'],
])(
  'Accept-Encoding %j is answered by %s, or %s in the order of the client',
  (header, server, client) => {
    expect(acceptedEncoding(header, { encodings, preference: 'server' })).toBe(server);
    expect(acceptedEncoding(header, { encodings, preference: 'client' })).toBe(client);
  },
);

const coding = fc.constantFrom('br', 'gzip', 'zstd', 'deflate', 'identity', '*', 'GZip', 'x-other');
const weight = fc.constantFrom('', ';q=0', ';q=1', ';q=0.5', '; q=0.3', ';q=0.001', ' ;q=1.000');
const header = fc
  .array(fc.tuple(coding, weight), { maxLength: 8 })
  .chain((elements) =>
    fc.constantFrom(',', ', ').map((comma) => elements.map((one) => one.join('')).join(comma)),
  );
const offered = fc.shuffledSubarray(['br', 'zstd', 'gzip', 'x-other']);

test('acceptedEncoding() chooses as negotiator does, in the order of the server or the client', () => {
  fc.assert(
    fc.property(header, offered, (accept, encodings) => {
      const negotiator = new Negotiator({ headers: { 'accept-encoding': accept } });
      const available = [...encodings, 'identity'];
      const named = (one: string | undefined) => (one === 'identity' ? undefined : one);
      expect(acceptedEncoding(accept, { encodings, preference: 'client' })).toBe(
        named(negotiator.encoding(available)),
      );
      expect(acceptedEncoding(accept, { encodings, preference: 'server' })).toBe(
        named(negotiator.encoding(available, { preferred: available })),
      );
    }),
    { numRuns: 2000 },
  );
});

test('acceptedEncoding() takes any text, and returns what is offered or nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 1200 }), (accept) => {
      const found = acceptedEncoding(accept, { encodings, preference: 'server' });
      expect([...encodings, undefined]).toContain(found);
    }),
    { numRuns: 50 },
  );
});

test('of a long header the elements among the first 1,000 characters count', () => {
  const options = { encodings, preference: 'client' } as const;
  expect(acceptedEncoding(`${'a'.repeat(500)}, gzip, ${'b'.repeat(500)}, br;q=1`, options)).toBe(
    'gzip',
  );
  expect(acceptedEncoding('a'.repeat(2000), options)).toBeUndefined();
});
