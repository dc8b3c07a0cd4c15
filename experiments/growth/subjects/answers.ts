import { createTimetable, encodeOjp } from '@ticketing/carrier-sim';
import { createOjp } from '@ticketing/carriers';
import type { CarrierQuery, Station } from '@ticketing/core';
import { SaxesParser } from 'saxes';
import type { Subject } from '../subject.ts';

const ojp = createOjp({
  ...{ id: 'ojp', name: 'OJP', baseUrl: 'http://127.0.0.1:1', requestor: 'growth' },
  zone: 'Europe/Zurich',
});
const station = (uic: string): Station => ({
  ...{ id: `uic:${uic}`, name: uic, zone: 'Europe/Zurich', country: 'CH' },
  ...{ latitude: 47, longitude: 8, codes: { uic } },
});
const query: CarrierQuery = {
  ...{ origin: station('8503000'), destination: station('8507000'), date: '2026-12-01' },
  passengers: [{}],
};
const question = { direction: 'later', by: 'departure', atMs: 0, untilMs: 8e14 } as const;

function bodyOf(bytes: number): Uint8Array<ArrayBuffer> {
  const trains = createTimetable({ seed: 1 }).trains({
    ...{ carrier: 'ojp', origin: '8503000', destination: '8507000', date: '2026-12-01' },
    journeys: 6,
  });
  return new TextEncoder().encode(encodeOjp(trains, { bytes }));
}

/** An answer of OJP of so many bytes, from bytes to journeys. */
export const answersSubject: Subject = {
  name: 'bytes of an OJP answer',
  of: 'bytes',
  sizes: [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 20_000_000],
  contenders: [
    {
      name: '`normalise`',
      prepare(size) {
        const answers = [{ status: 200, body: bodyOf(size) }];
        return { work: () => ojp.normalise({ question, answers, whole: true }, query) };
      },
    },
    {
      name: 'saxes alone',
      prepare(size) {
        const body = bodyOf(size);
        return {
          work() {
            const parser = new SaxesParser({ xmlns: false });
            for (const event of ['opentag', 'closetag', 'text'] as const)
              parser.on(event, () => {});
            parser.write(new TextDecoder('utf-8', { fatal: true }).decode(body)).close();
          },
        };
      },
    },
  ],
};
