import { expect, test } from 'vitest';
import { PROTOCOL, V8_FORMAT } from '../src/fleet/announcement.ts';
import { Fleet } from '../src/fleet/fleet.ts';

/** A dispatcher's view of 40 hosts, of which it uses four, and more once calls have keys. */
function fleetOf(id: string, hosts = 40): Fleet {
  const fleet = new Fleet({ fleet: 'f', id, name: id, tasks: [], max: 4, zone: undefined });
  for (let number = 0; number < hosts; number += 1) {
    fleet.hear(
      {
        protocol: PROTOCOL,
        v8: V8_FORMAT,
        id: `h${number}.abcdefgh`,
        zone: undefined,
        revision: undefined,
        tasks: [],
        capacity: 8,
        state: 'serving',
        withinMs: 13_000,
      },
      0,
    );
  }
  return fleet;
}

const idsOf = (fleet: Fleet): string[] => fleet.wanted.map(({ announcement: { id } }) => id);

test('owners of keys that are wanted for nothing else take calls of their keys alone', () => {
  const fleet = fleetOf('one');
  const own = idsOf(fleet);
  expect(own).toHaveLength(4);
  expect(own.map((id) => fleet.isForKeys(id))).toEqual([false, false, false, false]);
  expect(fleet.useKeys()).toBe(true);
  const all = idsOf(fleet);
  expect(all.slice(0, 4)).toEqual(own);
  expect(all.length).toBeGreaterThanOrEqual(16);
  expect(all.filter((id) => fleet.isForKeys(id))).toEqual(all.slice(4));
});

test('every dispatcher has a session with every owner of a key', () => {
  const [one, other] = [fleetOf('one'), fleetOf('other')];
  one.useKeys();
  other.useKeys();
  for (let key = 0; key < 100; key += 1) {
    const owner = one.ownerOf(`key ${key}`);
    expect(other.ownerOf(`key ${key}`)).toBe(owner);
    expect(idsOf(one)).toContain(owner);
    expect(idsOf(other)).toContain(owner);
  }
});

test('an owner that is no longer needed for calls without a key is there for its keys', () => {
  const fleet = fleetOf('one');
  fleet.useKeys();
  const [first = ''] = idsOf(fleet);
  fleet.leaving(first);
  const next = idsOf(fleet);
  expect(next).not.toContain(first);
  expect(next.slice(0, 4).every((id) => !fleet.isForKeys(id))).toBe(true);
});

test('more hosts than 10,000 are not remembered, however many are announced', () => {
  expect(fleetOf('one', 10_500).hosts.size).toBe(10_000);
});
