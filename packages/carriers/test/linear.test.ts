import { CarrierError } from '@ticketing/core';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, fixture, queryFor, queryOf } from './upstream.ts';

const { renfe, ouigo, avlo, hafas } = createCarriers('http://127.0.0.1:1');
const goldenRenfe = new TextDecoder().decode(fixture('renfe'));
const goldenOuigo = new TextDecoder().decode(fixture('ouigo.json'));
const goldenHafas = new TextDecoder().decode(fixture('hafas.json'));
const goldenAvlo = new TextDecoder().decode(fixture('avlo.json'));

/** Reads an answer; the outcome does not matter, other errors do. */
const readers: Readonly<Record<string, (text: string) => void>> = {
  renfe: (text) => read(() => renfe.normalise({ body: bytesOf(text), receivedAt: 1 }, queryOf())),
  ouigo: (text) => read(() => ouigo.normalise({ body: bytesOf(text), receivedAt: 1 }, queryOf())),
  hafas: (text) =>
    read(() =>
      hafas.normalise(
        {
          pages: [{ body: bytesOf(text), receivedAt: 1 }],
          ask: { kind: 'time', atMs: 0 },
          ended: false,
        },
        { ...queryFor('hafas'), stops: true },
      ),
    ),
  avlo: (text) => read(() => avlo.normalise({ days: [bytesOf(text)], receivedAt: 1 }, queryOf())),
};

function read(normalise: () => unknown): void {
  try {
    normalise();
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
  }
}

const dwr = (value: string): string =>
  `(function(){\nvar r=window.dwr._[0];\nr.handleCallback("0","1",${value});\n})();`;

/** What grows with `n`: whatever a pattern could split in many ways, or a reader could look at twice. */
const growths: readonly [name: string, reader: string, make: (n: number) => string][] = [
  ...Object.entries({
    'digits and a letter': (n: number) => `${'1'.repeat(n)}x`,
    'digits and two dots': (n: number) => `${'1'.repeat(n)}.${'1'.repeat(n)}.`,
    'digits of an exponent, and a letter': (n: number) => `1e${'1'.repeat(n)}x`,
    'a number': (n: number) => '1'.repeat(n),
    'minus signs': (n: number) => '-'.repeat(n),
    'white space': (n: number) => ' \t\n\u00a0'.repeat(n / 4),
    'lines that begin with two slashes': (n: number) => '\n//'.repeat(n / 3),
    slashes: (n: number) => '/'.repeat(n),
    escapes: (n: number) => `"${'\\u00e1'.repeat(n / 6)}`,
    backslashes: (n: number) => `"${'\\'.repeat(n)}"`,
    'a string without an end': (n: number) => `"${'a'.repeat(n)}`,
    'a name': (n: number) => 'a'.repeat(n),
    names: (n: number) => `{${Array.from({ length: n / 8 }, (_, i) => `k${i}:1`).join()}}`,
    'one name again': (n: number) => `{${'a:1,'.repeat(n / 4)}a:1}`,
    'open lists': (n: number) => '['.repeat(n),
    'open objects': (n: number) => '{a:'.repeat(n / 3),
    'short lists': (n: number) => `[${'[],'.repeat(n / 3)}[]]`,
    numbers: (n: number) => `[${'1,'.repeat(n / 2)}1]`,
    dates: (n: number) => `[${'new Date(1),'.repeat(n / 12)}1]`,
    'a date of many digits': (n: number) => `new Date(${'1'.repeat(n)})`,
    'open dates': (n: number) => 'new Date('.repeat(n / 9),
    'spaces before a date': (n: number) => `new${' '.repeat(n)}Date(1)`,
  }).map(([name, make]): [string, string, (n: number) => string] => [
    name,
    'renfe',
    (n) => dwr(make(n)),
  ]),
  ['spaces of a page', 'renfe', (n) => `${' '.repeat(n)}<htm`],
  ['a declaration of a page', 'renfe', (n) => `<?xml ${'?'.repeat(n)}`],
  ['before the script', 'renfe', (n) => ' '.repeat(n) + goldenRenfe],
  ['the guard', 'renfe', (n) => `throw '${'\\n'.repeat(n / 2)}';`],
  ...[
    ...['"37,35"', '"06:15"', '"06:15:00"', '"2026-12-01"', '"03063"', '"60000"', '"AVE"'],
    ...['"2 horas 30 minutos"', '"Reembolsable 60%"', '"N2010"', '"8"'],
  ].flatMap((field) =>
    (['0', '1', '1.', ' ', '-', ':'] as const).map(
      (unit): [string, string, (n: number) => string] => [
        `${JSON.stringify(unit)} in place of ${field}`,
        'renfe',
        (n) => goldenRenfe.replace(field, `"${unit.repeat(n / unit.length)}x"`),
      ],
    ),
  ),
  [
    'digits in place of a price',
    'ouigo',
    (n) => goldenOuigo.replace(/"price": ?[\d.]+/, `"price":${'1'.repeat(n)}`),
  ],
  [
    'digits in place of a timestamp',
    'ouigo',
    (n) => goldenOuigo.replace(/"2026-[^"]*"/, `"${'2026-'.repeat(n / 5)}"`),
  ],
  [
    'zeros in place of a train number',
    'ouigo',
    (n) => goldenOuigo.replace('"06611"', `"${'0'.repeat(n)}x"`),
  ],
  ['open lists', 'ouigo', (n) => '['.repeat(n)],
  [
    'digits in place of an instant',
    'avlo',
    (n) => goldenAvlo.replace(/"2026-[^"]*"/, `"${'2026-'.repeat(n / 5)}"`),
  ],
  [
    'digits in place of a price',
    'avlo',
    (n) => goldenAvlo.replace(/"price": ?[\d.]+/, `"price":${'1'.repeat(n)}`),
  ],
  ...Object.entries({
    'parts of a lid': (n: number) =>
      goldenHafas.replace('@L=008000261@', `${'@X=1'.repeat(n / 4)}@L=008000261@`),
    'digits of a time': (n: number) => goldenHafas.replace('231900', '2'.repeat(n)),
    'zeros of a station': (n: number) => goldenHafas.replace('8103000"', `${'0'.repeat(n)}x"`),
    'spaces of a name': (n: number) => goldenHafas.replace('NJ      "', `${' '.repeat(n)}NJ"`),
    'digits in place of a fare': (n: number) => goldenHafas.replace('3990', '1'.repeat(n)),
    'tags of a message': (n: number) => goldenHafas.replace('<br>', '<b>'.repeat(n / 3)),
    'tags without an end': (n: number) => goldenHafas.replace('<br>', '<b'.repeat(n / 2)),
    'entities of a message': (n: number) => goldenHafas.replace('<br>', '&#62;'.repeat(n / 5)),
    'spaces of a remark': (n: number) => goldenHafas.replace('Halt ', `Halt${' '.repeat(n)}`),
    'a platform': (n: number) => goldenHafas.replace('7 A-C', '7'.repeat(n)),
    'zeros of a train number': (n: number) => goldenHafas.replace('00060', `${'0'.repeat(n)}x`),
  }).map(([name, make]): [string, string, (n: number) => string] => [name, 'hafas', make]),
];

// A text of 16 times the length may take four times as long as 16 readings of the short one: a linear reader takes as
// long, a quadratic one 16 times as long. This thread's CPU time is counted, and the best of some rounds, so that a busy
// machine does not matter; the first round that shows it is enough.
const TIMES = 16;
const SMALL = 2_400;
const LARGE = TIMES * SMALL;
const MAX_ROUNDS = 100;
const MAX_CPU_MS = 5_000;

test.each(growths)(
  '%s (%s): time grows with the text, not with its square',
  (_name, reader, make) => {
    const readText = readers[reader] as (text: string) => void;
    const small = make(SMALL);
    const large = make(LARGE);
    const ratios: number[] = [];
    let cpuMs = 0;
    while (ratios.length < MAX_ROUNDS && cpuMs < MAX_CPU_MS && !(Math.min(...ratios) < 4)) {
      const smallMs = cpuOf(() => {
        for (let time = 0; time < TIMES; time++) readText(small);
      });
      const largeMs = cpuOf(() => readText(large));
      ratios.push(largeMs / smallMs);
      cpuMs += largeMs;
    }
    expect(Math.min(...ratios)).toBeLessThan(4);
  },
);

/** Milliseconds of CPU, at least a thousandth. */
function cpuOf(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(user + system, 1) / 1000;
}

test('renfe reads 1,000,000 digits before a letter, and 200,000 escapes', () => {
  expect(() => readers['renfe']?.(dwr(`${'1'.repeat(1e6)}x`))).not.toThrow();
  expect(() => readers['renfe']?.(dwr(`"${'\\u00e1'.repeat(200_000)}"`))).not.toThrow();
});
