import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Linked, LinkedList } from '../src/lists/linked-list.ts';

interface Member extends Linked {
  readonly id: number;
}

function memberOf(id: number): Member {
  return { id, previous: undefined, next: undefined, list: undefined };
}

test('members are in the order of their coming, whatever is removed', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'delete', 'take'),
    which: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const list = new LinkedList<Member>();
      const model = new Set<Member>();
      const members = Array.from({ length: 10 }, (_, id) => memberOf(id));
      for (const { what, which } of steps) {
        const member = members[which] as Member;
        if (what === 'add' && !model.has(member)) {
          list.add(member);
          model.add(member);
        } else if (what === 'delete') {
          expect(list.delete(member)).toBe(model.delete(member));
        } else if (what === 'take') {
          expect(list.take()).toEqual([...model]);
          model.clear();
        }
        expect([...list].map(({ id }) => id)).toEqual([...model].map(({ id }) => id));
        expect(list.size).toBe(model.size);
        expect(list.first).toBe([...model][0]);
      }
    }),
  );
});

test('a member of another list stays there', () => {
  const [one, other] = [new LinkedList<Member>(), new LinkedList<Member>()];
  const member = memberOf(1);
  one.add(member);
  expect(other.delete(member)).toBe(false);
  expect([one.size, other.size]).toEqual([1, 0]);
});

test('the member that an iterator has given may be removed', () => {
  const list = new LinkedList<Member>();
  for (let id = 0; id < 4; id += 1) list.add(memberOf(id));
  for (const member of list) list.delete(member);
  expect([list.size, list.first]).toEqual([0, undefined]);
});
