import { expect, test } from 'vitest';
import { getAvlo } from './call-wires.ts';
import { date, startedSim } from './started-sim.ts';

export interface Row {
  date: string;
  origin: number;
  destination: number;
  price: number | null;
}

export const rowsOf = async (response: Response): Promise<Row[]> =>
  (await response.json()) as Row[];

export function testLocalDay(journeys: number): void {
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
}
