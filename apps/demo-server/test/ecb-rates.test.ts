// The shape is that of the bank's eurofxref-daily.xml, with other rates.
import { expect, test } from 'vitest';
import { readEcbRates } from '../scripts/read-ecb-rates.ts';

const cubes = (day: string, ...rates: readonly (readonly [string, string])[]) =>
  `<Cube time='${day}'>${rates.map(([code, rate]) => `\n\t\t\t<Cube currency='${code}' rate='${rate}'/>`).join('')}\n\t\t</Cube>`;
const envelope = (content: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t${content}
\t</Cube>
</gesmes:Envelope>
`;

test('readEcbRates() keeps every digit of each rate, and the day', () => {
  const daily = cubes(
    '2026-11-27',
    ['USD', '1.0412'],
    ['JPY', '161.10'],
    ['CHF', '0.9412'],
    ['HUF', '411.5'],
  );
  expect(readEcbRates(envelope(daily))).toEqual({
    asOf: '2026-11-27',
    source: 'European Central Bank',
    base: 'EUR',
    perBase: { USD: '1.0412', JPY: '161.10', CHF: '0.9412', HUF: '411.5' },
  });
});

test.each([
  [
    'rates of several days',
    envelope(cubes('2026-11-27', ['CHF', '1']) + cubes('2026-11-26', ['CHF', '1'])),
    'they are of several days',
  ],
  ['a document without rates', envelope(''), 'the document must have a day and its rates'],
  [
    'a page for people',
    '<html><body>Sorry</body></html>',
    'the document must have a day and its rates',
  ],
  [
    'a cut document',
    envelope(cubes('2026-11-27', ['CHF', '1'])).slice(0, 400),
    'the XML is not well-formed',
  ],
  ['no text', '', 'the XML is not well-formed'],
])('readEcbRates() refuses %s', (_name, xml, message) => {
  expect(() => readEcbRates(xml)).toThrow(`Cannot read rates: ${message}`);
});
