import { createInProcessDispatcher, defineTasks, systemClock } from '@ticketing/dispatch';
import { createManualClock, turns, until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { PROTOCOL, readAnnouncement, readOpening, V8_FORMAT } from '../src/fleet/announcement.ts';
import { Fleet } from '../src/fleet/fleet.ts';
import { Announcer } from '../src/host/announcer.ts';
import { createNatsDispatcher, serveNatsTasks } from '../src/index.ts';
import type { NatsLink } from '../src/link/nats-link.ts';
import { createMemoryNats } from './memory-nats.ts';

/** Hosts that announce themselves in a fleet of so many, and when each did. */
function startHosts(count: number, hosts: () => number) {
  const clock = createManualClock();
  const heard: { at: number; host: number; withinMs: number }[] = [];
  let seed = 1;
  // Spread evenly, the same each time.
  const random = (): number => {
    seed = (seed + 0.618034) % 1;
    return seed;
  };
  for (let host = 0; host < count; host += 1) {
    const publish = (_: string, data: Uint8Array): void => {
      const withinMs = readAnnouncement(data)?.withinMs ?? Number.NaN;
      heard.push({ at: clock.now(), host, withinMs });
    };
    const announcer = new Announcer({
      link: { publish } as unknown as NatsLink,
      subject: 'here',
      ...{ clock, random, hosts },
      announcement: (withinMs) => announcementOf(host, withinMs),
    });
    announcer.announce();
  }
  return { clock, heard };
}

const announcementOf = (host: number, withinMs: number) => ({
  ...{ protocol: PROTOCOL, v8: V8_FORMAT, id: `h${host}.abcdefgh`, zone: undefined },
  ...{ revision: undefined, tasks: [], capacity: 8, state: 'serving' as const, withinMs },
});

test('a host announces itself every ten seconds, 30 % more or less, the first time sooner', () => {
  const { clock, heard } = startHosts(1, () => 1);
  for (let second = 0; second < 600; second += 1) clock.advance(1000);
  const pauses = heard.slice(1).map(({ at }, index) => at - (heard[index]?.at ?? 0));
  expect(pauses[0]).toBeLessThanOrEqual(10_000);
  for (const pause of pauses.slice(1)) {
    expect(pause).toBeGreaterThanOrEqual(7000);
    expect(pause).toBeLessThanOrEqual(13_000);
  }
  expect(heard.every(({ withinMs }) => withinMs === 13_000)).toBe(true);
});

test('the hosts of a large fleet announce themselves five times a second together, and each within the time that it said', () => {
  let known = 0;
  const { clock, heard } = startHosts(400, () => known);
  known = 400;
  for (let second = 0; second < 400; second += 1) clock.advance(1000);
  // By then each knows how many there are.
  const later = heard.filter(({ at }) => at > 20_000);
  expect(later.length / 380).toBeGreaterThan(4);
  expect(later.length / 380).toBeLessThan(6);
  const last = new Map<number, { at: number; withinMs: number }>();
  for (const { at, host, withinMs } of heard) {
    const before = last.get(host);
    if (before !== undefined) expect(at - before.at).toBeLessThanOrEqual(before.withinMs);
    last.set(host, { at, withinMs });
  }
  expect(last.size).toBe(400);
  expect([...last.values()].every(({ withinMs }) => withinMs === 104_000)).toBe(true);
});

test('a dispatcher forgets a host that has not announced itself for three times as long as it said', () => {
  const fleet = new Fleet({
    ...{ fleet: 'f', id: 'd', name: 'd', tasks: [], max: 4, zone: undefined },
  });
  expect(fleet.hear(announcementOf(1, 13_000), 0)).toBe(true);
  expect(fleet.tick(39_000)).toBe(false);
  // The same host, in a fleet that has grown: nothing changes but the time.
  expect(fleet.hear(announcementOf(1, 100_000), 39_000)).toBe(false);
  expect([fleet.tick(339_000), fleet.hosts.size]).toEqual([false, 1]);
  expect([fleet.tick(340_000), fleet.hosts.size]).toEqual([true, 0]);
});

test('a host learns how large the fleet has become, once it is twice as large', async () => {
  const nats = createMemoryNats({ clock: systemClock });
  const told: number[] = [];
  nats.seen = (subject, data) => {
    const opening = subject.endsWith('.open') ? readOpening(data) : undefined;
    if (opening !== undefined) told.push(opening.hosts);
  };
  const local = createInProcessDispatcher(defineTasks({ echo: (value: number) => value }));
  const other = createInProcessDispatcher(defineTasks({ other: (value: number) => value }));
  const nameOf = (name: string) => ({ nats: nats.connect(), fleet: 'grows', hostId: name });
  const host = serveNatsTasks({ ...nameOf('host'), dispatcher: local, tasks: ['echo'] });
  const dispatcher = createNatsDispatcher<{ echo: (value: number) => number }>({
    ...{ nats: nats.connect(), fleet: 'grows', tasks: ['echo'], beatMs: 20, missedBeats: 100 },
  });
  await dispatcher.ready();
  // Hosts that it has no session with.
  const others = Array.from({ length: 7 }, (_, index) =>
    serveNatsTasks({ ...nameOf(`other-${index}`), dispatcher: other, tasks: ['other'] }),
  );
  await until(() => 2 * (told.at(-1) ?? 0) >= 8);
  expect(told[0]).toBe(1);
  expect(host.stats().opened).toBe(1);
  for (const each of [dispatcher, host, ...others, local, other]) await each.close();
});

test('a host that drains reports it at once, while it has calls, and its close at the end', async () => {
  const clock = createManualClock();
  const nats = createMemoryNats({ clock });
  const told: (string | undefined)[] = [];
  nats.seen = (subject, data) => {
    if (subject.endsWith('.here')) told.push(readAnnouncement(data)?.state);
  };
  let letGo = (): void => {};
  const hold = () =>
    new Promise<void>((resolve) => {
      letGo = resolve;
    });
  const local = createInProcessDispatcher(defineTasks({ hold }), { clock });
  const names = { nats: nats.connect(), fleet: 'drains', clock };
  const host = serveNatsTasks({ ...names, dispatcher: local, tasks: ['hold'] });
  const dispatcher = createNatsDispatcher<{ hold: () => void }>({ ...names, nats: nats.connect() });
  const pass = async (): Promise<void> => {
    for (let step = 0; step < 10; step += 1) {
      clock.advance(10);
      await turns(3);
    }
  };
  const held = dispatcher.run('hold');
  await pass();
  told.length = 0;
  const drained = host.drain();
  await turns(5);
  expect(told.splice(0)).toEqual(['leaving']);
  letGo();
  await pass();
  await held;
  // No other host can take its session over, so its dispatcher keeps it.
  expect(told).toEqual([]);
  await Promise.all([dispatcher.close(), pass()]);
  expect(await drained).toEqual({ completed: 1, aborted: 0 });
  expect(told).toEqual(['closed']);
  await local.close();
  expect(clock.pending).toBe(0);
});
