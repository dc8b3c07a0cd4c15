// Measures how long an answer of 5 MB takes, and writes the table between the marks in docs/measurements. `--quick` for a look.
import assert from 'node:assert/strict';
import {
  benchFlags,
  circumstances,
  measureRounds,
  report,
  table,
  times,
} from '@ticketing/bench-kit';
import { createTimetable, encodeAvlo, encodeOuigo, encodeRenfe } from '@ticketing/carrier-sim';
import { CarrierError } from '@ticketing/core';
import { readDwrReply } from '../src/renfe/dwr.ts';
import { createPatternScanner } from '../test/pattern-scanner.ts';
import { bytesOf, createCarriers, queryOf } from '../test/upstream.ts';

const BYTES = 5_000_000;
const flags = benchFlags({ rounds: 15 });
const { renfe, ouigo, avlo } = createCarriers('http://127.0.0.1:1');
const query = queryOf();

type Encode = typeof encodeRenfe;

/** The trains of one day, again and again until they fill 5 MB. */
function answerOf(carrier: 'renfe' | 'ouigo' | 'avlo', encode: Encode): string {
  const { trains } = createTimetable({ seed: 1 });
  const pair = { carrier, origin: '7160000', destination: '7171801', date: '2026-12-01' };
  const day = trains({ ...pair, journeys: 1000 });
  const copies = Math.ceil(BYTES / encode(day).length);
  return encode(Array.from({ length: copies }, () => day).flat());
}

function refusal(normalise: () => unknown): unknown {
  try {
    return normalise();
  } catch (error) {
    assert.ok(CarrierError.is(error) && error.code === 'PROTOCOL');
    return error;
  }
}

const script = answerOf('renfe', encodeRenfe);
const literal = script.slice(script.indexOf('{listado'), script.lastIndexOf(');'));
const json = JSON.stringify(readDwrReply(script).value);
assert.equal(JSON.stringify(createPatternScanner(literal).literal()), json);
const digits = script.replace(literal, `${'1'.repeat(1_000_000)}x`);
const [renfeBody, ouigoBody, avloBody, digitsBody] = [
  script,
  answerOf('ouigo', encodeOuigo),
  answerOf('avlo', encodeAvlo),
  digits,
].map(bytesOf) as [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]];

const cases: readonly { name: string; bytes: number; work: () => unknown }[] = [
  {
    name: '`JSON.parse` of the values in the script of Renfe',
    bytes: json.length,
    work: () => JSON.parse(json),
  },
  {
    name: '`normalise` of Renfe: trains',
    bytes: renfeBody.length,
    work: () => renfe.normalise({ body: renfeBody, receivedAt: 1 }, query),
  },
  {
    name: '`normalise` of Renfe: 1,000,000 digits and a letter (`PROTOCOL`)',
    bytes: digits.length,
    work: () => refusal(() => renfe.normalise({ body: digitsBody, receivedAt: 1 }, query)),
  },
  {
    name: '`normalise` of Ouigo: trains',
    bytes: ouigoBody?.length ?? 0,
    work: () => ouigo.normalise({ body: ouigoBody, receivedAt: 1 }, query),
  },
  {
    name: '`normalise` of Avlo: trains',
    bytes: avloBody?.length ?? 0,
    work: () => avlo.normalise({ days: [avloBody], receivedAt: 1 }, query),
  },
  { name: "reading Renfe's script alone", bytes: script.length, work: () => readDwrReply(script) },
  {
    name: 'the same by regular expressions',
    bytes: literal.length,
    work: () => createPatternScanner(literal).literal(),
  },
];

const measured = await measureRounds(cases, { rounds: flags.rounds, repeats: 1 });
report(
  new URL('../../../docs/measurements/carriers.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/carriers bench', flags),
    '',
    ...table([
      ['', 'MB', 'ms', 'ns per byte', 'to `JSON.parse`'],
      ...measured.map(({ name, medianUs, ratio }, place) => {
        const bytes = cases[place]?.bytes ?? 0;
        const nsPerByte = (medianUs * 1000) / bytes;
        return [
          name,
          (bytes / 1e6).toFixed(1),
          (medianUs / 1000).toFixed(medianUs < 10_000 ? 1 : 0),
          nsPerByte.toFixed(nsPerByte < 10 ? 1 : 0),
          times(ratio),
        ];
      }),
    ]),
  ],
  flags,
);
