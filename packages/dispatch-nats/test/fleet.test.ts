import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Announcement, PROTOCOL, V8_FORMAT } from '../src/fleet/announcement.ts';
import { Fleet, type FleetOptions } from '../src/fleet/fleet.ts';

const events: unknown[] = [];
const note = (event: unknown): void => void events.push(event);
beforeEach(() => {
  events.length = 0;
  subscribe('ticketing:dispatch-nats:host', note);
});
afterEach(() => unsubscribe('ticketing:dispatch-nats:host', note));

function create(options: Partial<FleetOptions> = {}): Fleet {
  return new Fleet({
    ...{ fleet: 'f', id: 'web.aaaaaaaa', name: 'web', tasks: [], max: 16, zone: undefined },
    ...options,
  });
}

const announced = (name: string, more: Partial<Announcement> = {}): Announcement => ({
  ...{ protocol: PROTOCOL, v8: V8_FORMAT, id: `${name}.aaaaaaaa`, zone: undefined },
  ...{ revision: undefined, tasks: ['sum'], capacity: 8, state: 'serving', withinMs: 10_000 },
  ...more,
});
const names = (fleet: Fleet): string[] =>
  fleet.wanted.map(({ announcement: { id } }) => id.slice(0, -9)).sort();
const stateOf = (fleet: Fleet, name: string) => fleet.hosts.get(`${name}.aaaaaaaa`)?.state;

test('an announcement that says what is known changes nothing for sessions', () => {
  const fleet = create();
  expect(fleet.hear(announced('a'), 0)).toBe(true);
  const before = fleet.wanted;
  expect(fleet.hear(announced('a', { withinMs: 20_000 }), 500)).toBe(false);
  expect(fleet.wanted).toBe(before);
  // It is due later now.
  expect(fleet.tick(30_500)).toBe(false);
  expect(names(fleet)).toEqual(['a']);
  expect(fleet.tick(60_501)).toBe(true);
  expect(names(fleet)).toEqual([]);
  expect(events).toEqual([{ type: 'joined', name: 'web', host: 'a.aaaaaaaa' }]);
});

test('each part of an announcement that changes is seen', () => {
  for (const change of [
    { capacity: 9 },
    { tasks: ['sum', 'echo'] },
    { zone: 'b' },
    { revision: '2' },
    { state: 'leaving' },
    { v8: 1 },
  ] as const) {
    const fleet = create();
    fleet.hear(announced('a'), 0);
    expect([change, fleet.hear(announced('a', change), 1)]).toEqual([change, true]);
  }
});

test('knows the tasks of all hosts that are not passed over, also while they are away', () => {
  const fleet = create({ tasks: ['sum'] });
  expect(fleet.tasks).toEqual([]);
  fleet.hear(announced('a', { tasks: ['sum', 'echo'] }), 0);
  fleet.hear(announced('b', { tasks: ['sum', 'fetch'] }), 0);
  fleet.hear(announced('c', { tasks: ['other'] }), 0);
  expect([...fleet.tasks].sort()).toEqual(['echo', 'fetch', 'sum']);
  fleet.silent('a.aaaaaaaa');
  expect([...fleet.tasks].sort()).toEqual(['echo', 'fetch', 'sum']);
  fleet.hear(announced('b', { state: 'closed' }), 0);
  expect([...fleet.tasks].sort()).toEqual(['echo', 'sum']);
});

test('counts a host that it passes over once for each reason', () => {
  const fleet = create({ tasks: ['sum'] });
  fleet.hear(announced('a', { tasks: [] }), 0);
  fleet.hear(announced('a', { tasks: [], capacity: 9 }), 0);
  expect(fleet.refused).toEqual({ full: 0, leaving: 0, protocol: 0, v8: 0, tasks: 1 });
  fleet.hear(announced('a', { v8: 1 }), 0);
  fleet.hear(announced('a', { protocol: 9 }), 0);
  expect(fleet.refused).toEqual({ full: 0, leaving: 0, protocol: 1, v8: 1, tasks: 1 });
  expect(names(fleet)).toEqual([]);
  expect(events.map((event) => (event as { reason: string }).reason)).toEqual([
    'tasks',
    'v8',
    'protocol',
  ]);
});

test('a silent host is asked again after a second, then after twice as long, 16 s at most; an announcement begins anew', () => {
  const fleet = create();
  fleet.hear(announced('a', { withinMs: 86_400_000 }), 0);
  let now = 0;
  const waits: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    fleet.silent('a.aaaaaaaa');
    expect(names(fleet)).toEqual([]);
    expect(fleet.tick(now)).toBe(false);
    const from = now;
    do now += 50;
    while (!fleet.tick(now));
    waits.push(now - from);
    expect([stateOf(fleet, 'a'), names(fleet)]).toEqual(['serving', ['a']]);
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 16_000, 16_000]);
  fleet.hear(announced('a', { withinMs: 86_400_000 }), now);
  fleet.silent('a.aaaaaaaa');
  fleet.tick(now);
  expect(fleet.tick(now + 950)).toBe(false);
  expect(fleet.tick(now + 1000)).toBe(true);
});

test('a host that was silent while it was leaving is leaving still', () => {
  const fleet = create();
  fleet.hear(announced('a', { state: 'leaving' }), 0);
  fleet.silent('a.aaaaaaaa');
  fleet.tick(0);
  expect(fleet.tick(1000)).toBe(true);
  expect(stateOf(fleet, 'a')).toBe('leaving');
});

test('a host that is full is wanted again after a second', () => {
  const fleet = create();
  fleet.hear(announced('a'), 0);
  fleet.full('a.aaaaaaaa', 0);
  expect(names(fleet)).toEqual([]);
  expect(fleet.tick(999)).toBe(false);
  expect(names(fleet)).toEqual([]);
  expect(fleet.tick(1000)).toBe(true);
  expect(names(fleet)).toEqual(['a']);
  expect(fleet.refused.full).toBe(1);
  // The refusal of an unknown host is only counted.
  fleet.full('b.aaaaaaaa', 0);
  expect([fleet.refused.full, names(fleet)]).toEqual([2, ['a']]);
});

test('a host without responders is forgotten, a silent one kept, and others stay as they are', () => {
  const fleet = create();
  for (const name of ['a', 'b', 'c']) fleet.hear(announced(name), 0);
  fleet.loses('a.aaaaaaaa', 'no-responders');
  fleet.loses('b.aaaaaaaa', 'silence');
  fleet.loses('c.aaaaaaaa', 'gap');
  expect([...fleet.hosts.keys()]).toEqual(['b.aaaaaaaa', 'c.aaaaaaaa']);
  expect([stateOf(fleet, 'b'), stateOf(fleet, 'c')]).toEqual(['silent', 'serving']);
  expect(fleet.lost).toMatchObject({ 'no-responders': 1, silence: 1, gap: 1, malformed: 0 });
  expect(events.filter((event) => (event as { type: string }).type === 'lost')).toHaveLength(3);
});

test('all hosts are silent once the connection has broken', () => {
  const fleet = create();
  for (const name of ['a', 'b']) fleet.hear(announced(name), 0);
  fleet.cutOff();
  expect([stateOf(fleet, 'a'), stateOf(fleet, 'b'), names(fleet)]).toEqual([
    'silent',
    'silent',
    [],
  ]);
  fleet.hear(announced('a'), 1);
  expect(names(fleet)).toEqual(['a']);
});

test('a host that leaves is reported once, whoever says so first', () => {
  const fleet = create();
  fleet.hear(announced('a'), 0);
  fleet.leaving('a.aaaaaaaa');
  fleet.leaving('a.aaaaaaaa');
  fleet.leaving('unknown.aaaaaaaa');
  fleet.hear(announced('a', { state: 'leaving' }), 1);
  const told = events.filter((event) => (event as { type: string }).type === 'leaving');
  expect(told).toEqual([{ type: 'leaving', name: 'web', host: 'a.aaaaaaaa' }]);
  expect([stateOf(fleet, 'a'), names(fleet)]).toEqual(['leaving', []]);
  // It comes back.
  fleet.hear(announced('a'), 2);
  expect(events.at(-1)).toEqual({ type: 'joined', name: 'web', host: 'a.aaaaaaaa' });
});

test('hosts of the own zone come first, and those of others after them', () => {
  const fleet = create({ zone: 'near', max: 3 });
  for (const name of ['a', 'b', 'c', 'd']) fleet.hear(announced(name, { zone: 'far' }), 0);
  expect(fleet.wanted).toHaveLength(3);
  for (const name of ['x', 'y']) fleet.hear(announced(name, { zone: 'near' }), 0);
  expect(
    fleet.wanted
      .slice(0, 2)
      .map(({ announcement: { id } }) => id.slice(0, 1))
      .sort(),
  ).toEqual(['x', 'y']);
  expect(fleet.wanted).toHaveLength(3);
  const zoneOf = (index: number) => fleet.isOwnZone(fleet.wanted[index] as never);
  expect([zoneOf(0), zoneOf(1), zoneOf(2)]).toEqual([true, true, false]);
  expect(create().isOwnZone(fleet.wanted[2] as never)).toBe(true);
});

test('keys have no owner without hosts, and one of the hosts otherwise', () => {
  const fleet = create();
  expect(fleet.ownerOf('key')).toBeUndefined();
  fleet.hear(announced('a'), 0);
  expect(fleet.ownerOf('key')).toBe('a.aaaaaaaa');
  expect([fleet.usesKeys, fleet.useKeys(), fleet.useKeys(), fleet.usesKeys]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  for (const name of ['b', 'c', 'd']) fleet.hear(announced(name), 0);
  const owners = new Set(Array.from({ length: 100 }, (_, key) => fleet.ownerOf(String(key))));
  expect(owners.size).toBe(4);
  fleet.full('b.aaaaaaaa', 0);
  // A full host keeps its keys, and has no new session.
  expect(Array.from({ length: 100 }, (_, key) => fleet.ownerOf(String(key)))).toContain(
    'b.aaaaaaaa',
  );
  expect(names(fleet)).toEqual(['a', 'c', 'd']);
});
