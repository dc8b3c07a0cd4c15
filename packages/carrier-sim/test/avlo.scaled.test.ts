import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { stations } from '../src/timetable/network.ts';
import { avloPairs } from '../src/timetable/service.ts';
import { getAvlo } from './call-wires.ts';
import { date, startedSim } from './started-sim.ts';

interface Row {
  date: string;
  origin: number;
  destination: number;
  price: number | null;
}

const rowsOf = async (response: Response): Promise<Row[]> => (await response.json()) as Row[];

const avloId = (uic: string) => stations.find((station) => station.uic === uic)?.avloId ?? 0;

test('avlo serves the trains of its whole network for one UTC day, by date', async () => {
  const sim = await startedSim();
  const rows = await rowsOf(await getAvlo(sim.url, date));
  const trains = avloPairs.flatMap((pair) => sim.trains({ ...pair, carrier: 'avlo', date }));
  expect(avloPairs).toHaveLength(20);
  expect(rows.map(({ date }) => date)).toEqual(rows.map(({ date }) => date).sort());
  expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
    new Set(
      trains.map((train) =>
        JSON.stringify({
          date: new Date(train.departureMs).toISOString(),
          origin: avloId(train.origin),
          destination: avloId(train.destination),
          price: train.fares[0] ? train.fares[0].cents / 100 : null,
        }),
      ),
    ),
  );
});

const journeys = scaled({ fast: 60, full: 200 });

test('avlo spreads a local day over the two UTC days that it lies in', async () => {
  const sim = await startedSim({ plan: { avlo: { journeys } } });
  const [before, after] = await Promise.all(
    ['2026-11-30', date].map(async (utc) => rowsOf(await getAvlo(sim.url, utc))),
  );
  const pair = { origin: '7160000', destination: '7171801' };
  const wanted = sim.trains({ ...pair, carrier: 'avlo', date });
  const found = [...(before ?? []), ...(after ?? [])]
    .filter(({ origin, destination }) => origin === 12 && destination === 13)
    .map((row) => Date.parse(row.date));
  expect(wanted).toHaveLength(journeys);
  expect(found).toEqual(expect.arrayContaining(wanted.map(({ departureMs }) => departureMs)));
  expect(before?.every((row) => row.date.startsWith('2026-11-30'))).toBe(true);
});

test('avlo has a file from the UTC day before today to 180 days ahead', async () => {
  const sim = await startedSim();
  const status = async (day: string) => (await getAvlo(sim.url, day)).status;
  expect(await status('2026-11-19')).toBe(404);
  expect(await status('2026-11-20')).toBe(200);
  expect(await status('2027-05-20')).toBe(200);
  expect(await status('2027-05-21')).toBe(404);
  expect(await status('2026-02-30')).toBe(400);
  expect(await status('tomorrow')).toBe(400);
  const missing = (await (await getAvlo(sim.url, '2026-11-19')).json()) as { message: string };
  expect(missing.message).toBe('No timetable for 2026-11-19');
});

test('avlo runs as long between two stations as its clients reckon, both ways alike', async () => {
  const sim = await startedSim();
  const known = new Map([
    ['12-14', 80],
    ['12-13', 160],
    ['13-14', 85],
    ['12-15', 145],
    ['16-17', 115],
    ['16-18', 150],
    ['12-19', 110],
    ['12-20', 160],
    ['12-21', 175],
    ['16-22', 65],
  ]);
  for (const pair of avloPairs) {
    const ids = [avloId(pair.origin), avloId(pair.destination)].sort((a, b) => a - b);
    const trains = sim.trains({ ...pair, date });
    const avlo = trains.filter(({ brand }) => brand === 'AVLO');
    expect(avlo.length).toBeGreaterThan(2);
    for (const train of avlo) {
      expect(train.sellers).toEqual(['renfe', 'avlo']);
      expect((train.arrivalMs - train.departureMs) / 60_000).toBe(known.get(ids.join('-')));
    }
  }
});
