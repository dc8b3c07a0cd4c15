import {
  type Carrier,
  type CarrierAnswer,
  type CarrierContext,
  CarrierError,
  type CarrierQuery,
} from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOuigo, createRenfe } from '../src/index.ts';
import { editsOf } from './edited-answers.ts';
import { runs } from './scale.ts';
import { bytesOf, now, queryFor, rail } from './upstream.ts';

const month = { date: '2026-12-01', calendarUntil: '2026-12-31' };
const dates = Array.from({ length: 31 }, (_, day) => `2026-12-${`${day + 1}`.padStart(2, '0')}`);
const at = (date: string) => `${date}T00:00:00+01:00`;

/** Each carrier with a calendar, and an answer of each kind that it reads. */
const wires = [
  {
    id: 'renfe',
    carrier: createRenfe({ baseUrl: 'http://shop.test', calendarUrl: 'http://days.test' }),
    golden: {
      journeysPriceCalendar: dates.map((date, day) => ({
        ...{ date, minPriceAvailable: day % 3 > 0 },
        minPrice: day % 2 > 0 ? 19.9 + day : `${day}`,
      })),
    },
  },
  {
    id: 'ouigo',
    carrier: createOuigo({
      ...{ baseUrl: 'http://ouigo.test/api', now },
      credentials: { username: 'test', password: 'test' },
    }),
    golden: dates.map((date, day) => ({ date, price: day % 3 > 0 ? 9 + day : null })),
  },
  {
    id: 'osdm',
    carrier: rail('http://osdm.test'),
    golden: {
      offerOverviews: dates.map((date, day) => ({
        price: day % 3 > 0 ? { amount: 2900 + day, currency: 'CHF', scale: 2 } : null,
        ...{ travelClass: 'SECOND', startDateTime: at(date) },
      })),
    },
  },
] as const;

/** Asks for the month, and answers each request with these bytes; the login of Ouigo is answered rightly. */
async function told(
  { id, carrier }: { readonly id: 'renfe' | 'ouigo' | 'osdm'; readonly carrier: Carrier },
  body: Uint8Array,
): Promise<CarrierAnswer | string> {
  const login = bytesOf('{"token":"abc"}');
  const http: CarrierContext['http'] = {
    send: async ({ url }) => ({
      ...{ status: 200, headers: {}, receivedAt: 1 },
      body: id === 'ouigo' && !url.includes('Calendar') ? login : Uint8Array.from(body),
    }),
  };
  const context = { signal: new AbortController().signal, deadline: Infinity, http };
  const query: CarrierQuery = { ...queryFor(id), ...month };
  try {
    return carrier.normalise(structuredClone(await carrier.request(query, context)), query);
  } catch (error) {
    if (!CarrierError.is(error)) throw error;
    return error.code;
  }
}

/** Holds an answer to what every calendar is: days of the month, with a price that is money, or none. */
function expectDays(answer: CarrierAnswer | string): void {
  if (typeof answer === 'string') {
    expect(answer).toBe('PROTOCOL');
    return;
  }
  const { journeys, calendar = [] } = answer;
  expect(journeys).toEqual([]);
  for (const { date, state, lowest } of calendar) {
    expect(dates).toContain(date);
    expect(state === 'priced').toBe(lowest !== undefined);
    if (lowest === undefined) continue;
    expect(Number.isSafeInteger(lowest.amount) && lowest.amount >= 0).toBe(true);
    expect(lowest.currency).toMatch(/^[A-Z]{3}$/);
  }
}

test.each(wires)('$id: the answer that is edited below is read', async (wire) => {
  const answer = await told(wire, bytesOf(JSON.stringify(wire.golden)));
  expect(answer).toMatchObject({ calendar: expect.arrayContaining([]) });
  expectDays(answer);
  expect((answer as CarrierAnswer).calendar?.length).toBeGreaterThan(15);
});

test.each(wires)('$id: edited calendars are days of the month, or PROTOCOL', async (wire) => {
  const golden = bytesOf(JSON.stringify(wire.golden));
  await fc.assert(
    fc.asyncProperty(editsOf(golden), async (bytes) => expectDays(await told(wire, bytes))),
    { numRuns: runs(3000) },
  );
});

test.each(wires)('$id: any bytes and any JSON are days of the month, or PROTOCOL', async (wire) => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => bytesOf(JSON.stringify(value)));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), json), async (bytes) =>
      expectDays(await told(wire, bytes)),
    ),
    { numRuns: runs(3000) },
  );
});
