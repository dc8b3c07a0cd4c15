import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InFlight } from '../../src/in-flight.ts';

/** A step: a member comes, or the one at a share of those that are there goes. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const) }),
  fc.record({
    kind: fc.constant('delete' as const),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
  }),
);

test('InFlight holds what a Map would, in its order, however long a member stays', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(1, 100, 300), (steps, times) => {
      const own = new InFlight<{ readonly seq: number }>();
      const model = new Map<number, { readonly seq: number }>();
      let last = 0;
      for (const each of steps) {
        for (let time = 0; time < times; time += 1) {
          if (each.kind === 'add') {
            last += 1;
            const member = { seq: last };
            own.add(member);
            model.set(last, member);
          } else {
            const seq = [...model.keys()][Math.floor(each.share * model.size)];
            if (seq === undefined) continue;
            expect(own.get(seq)).toBe(model.get(seq));
            expect(own.delete(seq)).toBe(model.delete(seq));
          }
        }
        expect(own.size).toBe(model.size);
        expect([...own]).toEqual([...model.values()]);
        expect(own.oldest).toBe([...model.values()][0]);
      }
    }),
    { numRuns: 60 },
  );
});

test('InFlight gives all of its members where numbers were left out, and none that has gone', () => {
  const own = new InFlight<{ readonly seq: number }>();
  for (const seq of [1, 2, 600, 1025, 5000]) own.add({ seq });
  expect([...own].map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual([1, 2, 600, 1025, 5000]);
  expect([own.delete(1), own.delete(1), own.delete(3)]).toEqual([true, false, false]);
  expect([own.get(1), own.get(257), own.get(1025)?.seq]).toEqual([undefined, undefined, 1025]);
  own.clear();
  expect([own.size, [...own], own.get(2)]).toEqual([0, [], undefined]);
});
