import { expect, test } from 'vitest';
import { createTimetable } from '../../src/index.ts';

test.each(['2026-10-24', '2026-10-25', '2027-03-27', '2027-03-28', '2027-10-30', '2027-10-31'])(
  'createTimetable() finds every number of journeys with a change that is wanted around %s, though the clocks change',
  (date) => {
    const { trains } = createTimetable({ seed: 3 });
    const changing = { carrier: 'renfe', origin: '7156312', destination: '7178400' } as const;
    for (const journeys of [...Array(200).keys(), 400, 600, 800, 1000]) {
      expect(trains({ ...changing, date, journeys })).toHaveLength(journeys);
    }
  },
);
