import { addDays, type Journey } from '@ticketing/core';
import { expect, test } from 'vitest';
import { ASKED, MADRID_BARCELONA, serveDemo, serveDemoOn, setPlan } from '../demo.ts';

// With the days on which the clocks change, and the turn of a year.
test.each(['2026-11-20', '2027-02-28', '2027-10-01'])(
  'GET /search gathers the trains of every carrier, on each of the 60 days from %s',
  async (today) => {
    const { get } = await serveDemoOn(today, '--latency', '0');
    for (let days = 0; days <= 60; days++) {
      const date = addDays(today, days);
      const { status, body } = await get(`${MADRID_BARCELONA}&date=${date}`);
      expect(status, date).toBe(200);
      expect(body.complete, date).toBe(true);
      expect(body.journeys.length, date).toBeGreaterThanOrEqual(20);
      expect(new Set(body.journeys.flatMap(({ sources }: Journey) => sources)), date).toEqual(
        new Set(ASKED),
      );
      for (const journey of body.journeys as Journey[]) {
        expect(journey.departure.iso).toMatch(
          new RegExp(`^${date}T.*[+]0[12]:00\\[Europe/Madrid\\]$`),
        );
        for (const { total } of journey.offers) {
          expect(Number.isInteger(total.amount)).toBe(true);
          expect(total.currency).toBe('EUR');
        }
      }
    }
  },
);

test('GET /search asks Navitia where --carriers names it: times in the zones of both ends, prices of some journeys', async () => {
  const { get } = await serveDemo('--carriers', 'navitia', '--latency', '0');
  const { status, body } = await get('/search?origin=uic:7015400&destination=uic:8727100');
  expect([status, body.complete]).toEqual([200, true]);
  expect(body.carriers).toMatchObject([{ carrier: 'navitia', state: 'ok', found: 10 }]);
  const prices = body.journeys.map(({ offers }: { offers: unknown[] }) => offers.length);
  expect(new Set(prices)).toEqual(new Set([0, 1]));
  for (const { departure, arrival } of body.journeys) {
    expect(departure.iso).toContain('[Europe/London]');
    expect(arrival.iso).toContain('[Europe/Paris]');
  }
});

test('GET /search asks OJP where --carriers names it, and reads an answer of 2.6 MB', async () => {
  const { get, carriersUrl } = await serveDemo('--carriers', 'ojp', '--latency', '0');
  await setPlan(carriersUrl, 'ojp', { fault: { kind: 'padding', megabytes: 2.6 } });
  const path = '/search?origin=uic:8503000&destination=uic:8507000&time=08:00';
  const { status, body } = await get(path);
  expect([status, body.complete]).toEqual([200, true]);
  expect(body.carriers).toMatchObject([{ carrier: 'ojp', state: 'ok', found: 12 }]);
});
