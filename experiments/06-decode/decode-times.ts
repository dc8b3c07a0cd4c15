import assert from 'node:assert/strict';
import { createTimetable, encodeOjp } from '@ticketing/carrier-sim';
import { createOjp, type OjpWire, stationTable } from '@ticketing/carriers';
import type { CarrierQuery, Station } from '@ticketing/core';

const TIMES = 10;
const PAIR = { origin: '8503000', destination: '8507000', date: '2026-12-01' };

const ojp = createOjp({
  id: 'ojp',
  name: 'OJP',
  baseUrl: 'http://127.0.0.1:1',
  requestor: 'study',
  zone: 'Europe/Zurich',
});

/** Returns the milliseconds that this process takes to decode answers of so many megabytes: the least of several times. */
export function decodeTimes(sizes: readonly number[]): number[] {
  const trains = createTimetable({ seed: 1 }).trains({ carrier: 'ojp', ...PAIR, journeys: 13 });
  const bodies = sizes.map((megabytes) =>
    new TextEncoder().encode(encodeOjp(trains, { bytes: megabytes * 1e6 })),
  );
  const query: CarrierQuery = {
    origin: stationOf(PAIR.origin),
    destination: stationOf(PAIR.destination),
    date: PAIR.date,
    passengers: [{}],
  };
  const question = { direction: 'later', by: 'departure', atMs: 0 } as const;
  const timeOf = (body: Uint8Array<ArrayBuffer>): number => {
    const wire: OjpWire = { question, answers: [{ status: 200, body }], whole: true };
    const startedAt = performance.now();
    ojp.normalise(wire, query);
    return performance.now() - startedAt;
  };
  // All sizes in turn, so that the first is not measured before the code is compiled.
  const rounds = Array.from({ length: TIMES }, () => bodies.map(timeOf));
  return sizes.map((_, place) => Math.min(...rounds.map((times) => times[place] as number)));
}

function stationOf(code: string): Station {
  const match = stationTable.find(code);
  assert.ok(match.kind === 'found');
  return match.station;
}
