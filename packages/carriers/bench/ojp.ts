// Measures how long large answers of OJP take, beside saxes alone over the same bytes, and writes the table between the marks in
// docs/measurements. Fails when the decode takes more than 1.3 times as long. `--quick` only prints.
import assert from 'node:assert/strict';
import {
  benchFlags,
  circumstances,
  measureRounds,
  report,
  table,
  times,
} from '@ticketing/bench-kit';
import { createTimetable, encodeOjp } from '@ticketing/carrier-sim';
import { SaxesParser } from 'saxes';
import { createOjp } from '../src/index.ts';
import { bytesOf, queryOf } from '../test/upstream.ts';

const BYTES = 2_600_000;
const MOST = 1.3;
const flags = benchFlags({ rounds: 25 });
const query = queryOf('8503000', '8507000');
const ojp = createOjp({
  id: 'ojp',
  name: 'OJP',
  baseUrl: 'http://127.0.0.1:1',
  requestor: 'bench',
  zone: 'Europe/Zurich',
});
const question = { direction: 'later', by: 'departure', atMs: 0, untilMs: 8e14 } as const;

/** The trains of a day, so many that the answer has that many bytes without more. */
function trainsOf(journeys: number) {
  const pair = { carrier: 'ojp', origin: '8503000', destination: '8507000' } as const;
  return createTimetable({ seed: 1 }).trains({ ...pair, date: '2026-12-01', journeys });
}

function decode(body: Uint8Array<ArrayBuffer>): number {
  const answers = [{ status: 200, body }];
  return ojp.normalise({ question, answers, whole: true }, query).journeys.length;
}

/** Parses, with the handlers that any reader has, and keeps nothing. */
function parse(body: Uint8Array): number {
  let elements = 0;
  let characters = 0;
  const parser = new SaxesParser({ xmlns: false });
  parser.on('opentag', () => {
    elements += 1;
  });
  parser.on('closetag', () => {});
  parser.on('text', (text) => {
    characters += text.length;
  });
  parser.write(new TextDecoder('utf-8', { fatal: true }).decode(body)).close();
  return elements + Math.min(0, characters);
}

const answers = [
  { name: '36 trips with stops in between', trains: trainsOf(36), bytes: BYTES },
  { name: '1,000 trips, no stops in between', trains: trainsOf(1000), bytes: 0 },
].map(({ name, trains, bytes }) => ({
  name,
  trips: trains.length,
  body: bytesOf(encodeOjp(trains, { bytes })),
}));

const rows: string[][] = [];
for (const { name, trips, body } of answers) {
  assert.equal(decode(body), trips);
  const contenders = [
    { name: 'saxes alone', work: () => parse(body) },
    { name: '`normalise`', work: () => decode(body) },
  ];
  const measured = await measureRounds(contenders, { rounds: flags.rounds, repeats: 1 });
  for (const { name: who, medianUs, ratio } of measured) {
    rows.push([
      name,
      (body.length / 1e6).toFixed(2),
      parse(body).toLocaleString('en'),
      who,
      (medianUs / 1000).toFixed(1),
      ((medianUs * 1000) / body.length).toFixed(1),
      times(ratio),
    ]);
    // The gate is for the answer of a true one's size, and for runs that are long enough.
    const isHeld = flags.quick || body.length < BYTES || ratio <= MOST;
    assert.ok(isHeld, `${name}: ${who} takes ${ratio} times as long as saxes`);
  }
}

report(
  new URL('../../../docs/measurements/carriers-ojp.md', import.meta.url),
  [
    circumstances('pnpm --filter @ticketing/carriers bench', flags),
    '',
    ...table([['', 'MB', 'elements', '', 'ms', 'ns per byte', 'to saxes'], ...rows]),
  ],
  flags,
);
