import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEcbRates } from '../scripts/read-ecb-rates.ts';
import { openRates } from '../src/rates/rates-file.ts';

const rates = (asOf: string) => ({ asOf, source: 'A bank', base: 'EUR', perBase: { CHF: '0.94' } });

async function written(content: object) {
  const folder = await mkdtemp(join(tmpdir(), 'rates-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'rates.json');
  let writes = 0;
  const write = async (text: string): Promise<void> => {
    await writeFile(path, text);
    // A clock of files may not tell two writes apart.
    writes += 1;
    await utimes(path, writes, writes);
  };
  await write(JSON.stringify(content));
  return { path, write };
}

test('a file of rates is read again when it has changed', async () => {
  const { path, write } = await written(rates('2026-11-19'));
  const file = openRates(path, () => 0);
  expect(file.current()?.asOf).toBe('2026-11-19');
  await write(JSON.stringify(rates('2026-11-20')));
  expect(file.current()?.asOf).toBe('2026-11-19');
  await file.refresh();
  expect(file.current()?.asOf).toBe('2026-11-20');
  const known = file.current();
  await file.refresh();
  expect(file.current()).toBe(known);
});

test('a file that is gone, cut or wrong leaves the rates as they are, until it is right', async () => {
  const { path, write } = await written(rates('2026-11-19'));
  const file = openRates(path, () => 0);
  for (const wrong of ['{ "asOf": "2026', JSON.stringify({ ...rates('2026-11-20'), base: 'x' })]) {
    await write(wrong);
    await file.refresh();
    expect(file.current()?.asOf).toBe('2026-11-19');
  }
  await rm(path);
  await file.refresh();
  expect(file.current()?.asOf).toBe('2026-11-19');
  await write(JSON.stringify(rates('2026-11-21')));
  await file.refresh();
  expect(file.current()?.asOf).toBe('2026-11-21');
});

test('the file is looked at once a minute, by whoever asks', async () => {
  const { path, write } = await written(rates('2026-11-19'));
  let nowMs = 0;
  const file = openRates(path, () => nowMs);
  await write(JSON.stringify(rates('2026-11-20')));
  nowMs = 59_999;
  file.current();
  nowMs = 60_000;
  file.current();
  await expect.poll(() => file.current()?.asOf).toBe('2026-11-20');
});

test('without a file there are no rates', () => {
  expect(openRates(undefined, () => 0).current()).toBeUndefined();
});

// The shape is that of the bank's eurofxref-daily.xml, with other rates.

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
