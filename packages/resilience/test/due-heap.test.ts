import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueHeap } from '../src/calls/due-heap.ts';

test('a heap gives what is due, whatever came, left and was put off', () => {
  const at = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(Number.POSITIVE_INFINITY));
  const op = fc.record({
    do: fc.constantFrom('add', 'add', 'delete', 'move'),
    at,
    which: fc.nat(100),
  });
  fc.assert(
    fc.property(fc.array(op, { maxLength: 200 }), (ops) => {
      const heap = new DueHeap<{ dueAt: number; place: number }>();
      const members: { dueAt: number; place: number }[] = [];
      for (const one of ops) {
        const member = members[one.which % Math.max(1, members.length)];
        if (one.do === 'add' || member === undefined) {
          const added = { dueAt: one.at, place: -1 };
          members.push(added);
          heap.add(added);
        } else if (one.do === 'delete') {
          members.splice(members.indexOf(member), 1);
          heap.delete(member);
          expect(member.place).toBe(-1);
        } else {
          member.dueAt = one.at;
          heap.moved(member);
        }
        expect(heap.size).toBe(members.length);
        expect(new Set(heap.all())).toEqual(new Set(members));
        expect(heap.first?.dueAt).toBe(
          members.length === 0 ? undefined : Math.min(...members.map(({ dueAt }) => dueAt)),
        );
        const due = new Set(heap.dueAt(10));
        expect(due).toEqual(new Set(members.filter(({ dueAt }) => dueAt <= 10)));
      }
    }),
  );
});
