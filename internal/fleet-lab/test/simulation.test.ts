import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Chance, zipf } from '../src/simulation/chance.ts';
import { Ledger } from '../src/simulation/ledger.ts';
import { Balance, overheadOf, unevenness } from '../src/simulation/measures.ts';
import { runSetting } from '../src/simulation/run-setting.ts';
import { noCounts, SimulatedNats } from '../src/simulation/simulated-nats.ts';
import { Machine, VirtualTime } from '../src/simulation/virtual-time.ts';
import { five } from './five-hosts.ts';

const network = { delayMs: 1, betweenZonesMs: 5, jitter: 0.5 };
const machineOf = (time: VirtualTime, zone = 'a'): Machine =>
  new Machine(time, { zone, origin: 0, rate: 1 });

describe('VirtualTime', () => {
  test('events happen in the order of their times, then in that in which they were set', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 50 }), async (times) => {
        const time = new VirtualTime();
        const happened: [number, number][] = [];
        for (const [index, at] of times.entries()) {
          time.at(at, () => happened.push([time.now, index]));
        }
        await time.run(100, 0);
        const expected = times.map((at, index): [number, number] => [at, index]);
        expected.sort(([one, i], [other, j]) => one - other || i - j);
        expect(happened).toEqual(expected);
        expect(time.now).toBe(100);
      }),
    );
  });

  test('what an event causes by promises is done before the next one, unless they share a grain', async () => {
    const order = async (grainMs: number): Promise<string[]> => {
      const time = new VirtualTime();
      const seen: string[] = [];
      for (const at of [1, 2]) {
        time.at(at, () => {
          seen.push(`event ${at}`);
          void Promise.resolve().then(() => seen.push(`then ${at}`));
        });
      }
      await time.run(3, grainMs);
      return seen;
    };
    expect(await order(0)).toEqual(['event 1', 'then 1', 'event 2', 'then 2']);
    expect(await order(1)).toEqual(['event 1', 'event 2', 'then 1', 'then 2']);
  });

  test('a cancelled timer does nothing', async () => {
    const time = new VirtualTime();
    time.cancel(time.at(1, () => expect.unreachable()));
    time.cancel(undefined);
    await time.run(2, 0);
    expect(time.events).toBe(0);
  });
});

describe('Machine', () => {
  test('the clock of a machine has an origin and a rate of its own', async () => {
    const time = new VirtualTime();
    const machine = new Machine(time, { zone: 'a', origin: 500, rate: 2 });
    const at: number[] = [];
    machine.setTimeout(() => at.push(time.now, machine.now()), 100);
    machine.clearTimeout(machine.setTimeout(() => expect.unreachable(), 10));
    await time.run(1000, 0);
    expect(at).toEqual([50, 600]);
  });

  test('a stopped machine does everything later, a dead one nothing', async () => {
    const time = new VirtualTime();
    const [stopped, dead] = [machineOf(time), machineOf(time)];
    const done: string[] = [];
    stopped.setTimeout(() => done.push('timer'), 10);
    dead.setTimeout(() => expect.unreachable(), 10);
    stopped.stop();
    dead.die();
    await time.run(20, 0);
    stopped.does(() => done.push('message'));
    expect(done).toEqual([]);
    stopped.goOn();
    expect(done).toEqual(['timer', 'message']);
    dead.goOn();
    expect(dead.state).toBe('dead');
  });
});

test('Chance gives the same numbers for one seed, and means as they should be', () => {
  const [one, same, other] = [new Chance(7), new Chance(7), new Chance(8)];
  const draw = (chance: Chance): number[] => Array.from({ length: 20 }, () => chance.next());
  const first = draw(one);
  expect(draw(same)).toEqual(first);
  expect(draw(other)).not.toEqual(first);
  const mean = (next: () => number): number =>
    Array.from({ length: 20_000 }, next).reduce((sum, each) => sum + each, 0) / 20_000;
  expect(mean(one.next)).toBeCloseTo(0.5, 1);
  expect(mean(() => one.exponential(3))).toBeCloseTo(3, 0);
  expect(mean(() => one.lognormal(0.5))).toBeCloseTo(1, 1);
  expect(one.lognormal(0)).toBe(1);
  const picked = one.pick([1, 2, 3, 4, 5], 3);
  expect(new Set(picked).size).toBe(3);
  const ranks = zipf(100, one);
  const drawn = Array.from({ length: 5000 }, ranks);
  const count = (rank: number): number => drawn.filter((each) => each === rank).length;
  expect(count(0)).toBeGreaterThan(3 * count(9));
  expect(Math.max(...drawn)).toBeLessThan(100);
});

describe('SimulatedNats', () => {
  /** Two machines with a connection each, and what the second hears. */
  function pair(zone = 'a') {
    const time = new VirtualTime();
    const nats = new SimulatedNats(time, network, new Chance(1));
    const [from, to] = [nats.connect(machineOf(time)), nats.connect(machineOf(time, zone))];
    const heard: [string, number][] = [];
    to.subscribe('tt.f.s.h.1.>', {
      callback: (_, { subject, data }) => heard.push([subject, data[0] ?? -1]),
    });
    return { time, nats, from, to, heard };
  }

  test('keeps the order of one connection, and takes time', async () => {
    const { time, from, heard } = pair();
    for (let byte = 0; byte < 50; byte += 1)
      from.publish('tt.f.s.h.1.d.2.7', new Uint8Array([byte]));
    expect(heard).toEqual([]);
    await time.run(100, 0);
    expect(heard.map(([, byte]) => byte)).toEqual(Array.from({ length: 50 }, (_, byte) => byte));
    expect(heard[0]?.[0]).toBe('tt.f.s.h.1.d.2.7');
  });

  test('answers for nobody, and does not echo', async () => {
    const { time, nats, from, to, heard } = pair();
    const codes: unknown[] = [];
    from.subscribe('tt.f.d.x.1', { callback: (_, { headers }) => codes.push(headers?.code) });
    from.publish('tt.f.s.gone.1.d.2.7', new Uint8Array(12), { reply: 'tt.f.d.x.1' });
    to.publish('tt.f.s.h.1.d.2.7', new Uint8Array(12));
    await time.run(100, 0);
    expect([codes, heard]).toEqual([[503], []]);
    expect(nats.published).toEqual({ ...noCounts(), beats: 2 });
  });

  test('a cut between zones drops, until it is healed; a dead machine is silent', async () => {
    const { time, nats, from, to, heard } = pair('b');
    nats.cutOff.add('b');
    from.publish('tt.f.s.h.1.x', new Uint8Array([1]));
    nats.cutOff.clear();
    from.publish('tt.f.s.h.1.x', new Uint8Array([2]));
    await time.run(100, 0);
    expect(heard.map(([, byte]) => byte)).toEqual([2]);
    from.publish('tt.f.s.h.1.x', new Uint8Array([3]));
    to.machine.die();
    await time.run(200, 0);
    expect(heard).toHaveLength(1);
    from.machine.stop();
    from.publish('tt.f.s.h.1.x', new Uint8Array([4]));
    expect(nats.published).toEqual({ ...noCounts(), beats: 3 });
    to.end();
    expect(to.isClosed()).toBe(true);
  });
});

test('Ledger sees calls that run twice without permission, and loads of one key at a time', () => {
  const ledger = new Ledger(10, (id) => id === 2);
  for (const id of [1, 2, 2, 3, 3, 3]) ledger.began(id, 1);
  expect(ledger.twice).toBe(2);
  expect([...ledger.takeBegun()]).toEqual([[1, 6]]);
  expect(ledger.takeBegun().size).toBe(0);
  ledger.loads('k', 1);
  ledger.loads('k', 2);
  ledger.ended(1);
  ledger.loads('k', 3);
  expect([ledger.mostLoads, ledger.doubleLoads, ledger.loadsBegun]).toEqual([2, 2, 3]);
});

test('measures: unevenness, overhead, and when hosts are even again', () => {
  expect(unevenness([])).toBe(0);
  expect(unevenness([2, 2])).toBe(0);
  expect(unevenness([1, 3])).toBe(0.5);
  expect(overheadOf({ ...noCounts(), calls: 50, answers: 50, beats: 4, announcements: 1 })).toBe(
    0.05,
  );
  const balance = new Balance();
  const even = new Map([
    [1, 10],
    [2, 10],
  ]);
  for (let quarter = 0; quarter < 3; quarter += 1)
    expect(balance.add(even, [1, 2])).toBeUndefined();
  expect(balance.add(even, [1, 2])).toBe(0);
  expect(balance.add(new Map([[1, 40]]), [1, 2])).toBeGreaterThan(0.3);
  balance.usual(0.1);
  expect([balance.isEven(0.11), balance.isEven(0.12)]).toEqual([true, false]);
});

test('five hosts without a fault lose nothing, and share the work', async () => {
  const [, steady] = await runSetting(five('none'), { seed: 1 });
  expect(steady).toMatchObject({
    asked: 600,
    lost: 0,
    failed: 0,
    retried: 0,
    twice: 0,
    busyShare: 0,
  });
  expect(steady?.answered).toBeGreaterThan(570);
  expect(steady?.p50Ms).toBeCloseTo(100.2, 1);
  expect(steady?.maxOverMean).toBeLessThan(1.3);
});

test('a killed host is noticed within a beat, a stopped one after three; what it had is lost or retried', async () => {
  const [, killed] = await runSetting(five('kill'), { seed: 1 });
  expect(killed?.toldMs).toBeLessThanOrEqual(300);
  expect(killed).toMatchObject({ failed: 0, twice: 0 });
  expect(killed?.lost).toBeGreaterThan(0);
  expect(killed?.retried).toBeGreaterThan(0);
  const [, stopped] = await runSetting(five('stop'), { seed: 1 });
  expect(stopped?.toldMs).toBeGreaterThan(500);
  expect(stopped?.toldMs).toBeLessThanOrEqual(1000);
  expect(stopped).toMatchObject({ failed: 0, twice: 0 });
});
