import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interleaved, measureRounds } from '../src/index.ts';

test('interleaved() gives A B, then B A, after a round that warms up', () => {
  const turns = [...interleaved(['A', 'B'], { rounds: 2 })];
  expect(turns.map(({ item, round }) => `${item}${round}`)).toEqual([
    'B-1',
    'A-1',
    'A0',
    'B0',
    'B1',
    'A1',
  ]);
});

test('interleaved() gives each item once a round, each round in the opposite order of the one before', () => {
  const rounds = fc.nat({ max: 9 });
  fc.assert(
    fc.property(fc.array(fc.anything()), rounds, rounds, (items, rounds, warmUps) => {
      const turns = [...interleaved(items, { rounds, warmUps })];
      expect(turns).toHaveLength(items.length * (rounds + warmUps));
      const inOrder = items.map((item, place) => ({ item, place }));
      for (let round = -warmUps; round < rounds; round++) {
        const own = turns.splice(0, items.length);
        const expected = round % 2 === 0 ? inOrder : inOrder.toReversed();
        expect(own).toEqual(expected.map((turn) => ({ ...turn, round })));
      }
    }),
  );
});

test('measureRounds() does the work of each as often, and gives ratios to the first', async () => {
  const done = [0, 0];
  const work = (place: 0 | 1) => () => {
    done[place] = (done[place] ?? 0) + 1;
  };
  const contenders = [
    { name: 'one', work: work(0) },
    { name: 'other', work: work(1) },
  ];
  const [one, other] = await measureRounds(contenders, { rounds: 11, repeats: 5 });
  expect(done).toEqual([78, 78]); // Two rounds warm up, and one piece of work each turn.
  expect(one).toMatchObject({ name: 'one', ratio: 1 });
  expect(other?.name).toBe('other');
  expect(other?.medianUs).toBeGreaterThan(0);
});
