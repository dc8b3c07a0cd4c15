import { createManualClock } from '@ticketing/test-kit';
import { describe, expect, it } from 'vitest';
import { Admission, type AdmittedSession, newCalls } from '../src/host/admission.ts';

/** A dispatcher over a network: it sends as many calls as it may have, and no more than it has. */
class Asker implements AdmittedSession {
  readonly calls;
  takesCalls = true;
  done = 0;
  /** Calls that the dispatcher would have under way without a limit. */
  wants: number;
  /** Calls that the host has not settled, as this side knows: those on their way are among them. */
  sent = 0;
  allowed: number;

  constructor(credit: number, wants: number) {
    this.calls = newCalls(credit);
    this.allowed = credit;
    this.wants = wants;
  }

  /** This side learns it one way later. */
  tellCredit: (credit: number) => void = () => {};
  tellBusy: () => void = () => {};
}

const WAY_MS = 1;

/** Askers of a host whose tasks take that long. */
function setUp({
  capacity,
  taskMs,
  wants,
}: {
  readonly capacity: number;
  readonly taskMs: number;
  readonly wants: readonly number[];
}) {
  const clock = createManualClock();
  const sessions = new Map<string, AdmittedSession>();
  const admission = new Admission(sessions, capacity, { clock, began: () => {} });
  const credit = admission.creditAmong(wants.length);
  let most = 0;
  const askers = wants.map((many, index) => {
    const asker = new Asker(credit, many);
    sessions.set(String(index), asker);
    asker.tellCredit = (given) => {
      clock.setTimeout(() => {
        asker.allowed = given;
        send(asker);
      }, WAY_MS);
    };
    asker.tellBusy = () => {
      // The message is on its way together with the previous answer.
      asker.allowed = 0;
    };
    return asker;
  });
  const send = (asker: Asker): void => {
    for (; asker.sent < Math.min(asker.allowed, asker.wants); asker.sent++) {
      clock.setTimeout(() => arrive(asker), WAY_MS);
    }
  };
  const arrive = (asker: Asker): void => {
    if (!admission.admit(asker)) {
      clock.setTimeout(() => {
        asker.sent -= 1;
        asker.allowed = 0;
      }, WAY_MS);
      return;
    }
    most = Math.max(most, admission.running);
    clock.setTimeout(() => {
      asker.done += 1;
      clock.setTimeout(() => {
        asker.sent -= 1;
        send(asker);
      }, WAY_MS);
      admission.release(asker);
    }, taskMs);
  };
  for (const asker of askers) send(asker);
  return {
    admission,
    askers,
    sessions,
    run(ms: number) {
      for (const asker of askers) asker.done = 0;
      const busyBefore = admission.busy;
      for (let passed = 0; passed < ms; passed++) clock.advance(1);
      const done = askers.map((asker) => asker.done);
      const all = done.reduce((sum, each) => sum + each, 0);
      return { done, all, most, busy: admission.busy - busyBefore };
    },
    want(index: number, many: number) {
      const asker = askers[index] as Asker;
      asker.wants = many;
      send(asker);
    },
  };
}

describe('admission of a host', () => {
  it.each([
    { capacity: 16, taskMs: 100, askers: 1 },
    { capacity: 16, taskMs: 100, askers: 2 },
    { capacity: 16, taskMs: 100, askers: 3 },
    { capacity: 64, taskMs: 50, askers: 7 },
    { capacity: 4, taskMs: 100, askers: 10 },
  ])('keeps a host of $capacity busy with $askers that want more, and divides it', (given) => {
    const { capacity, taskMs, askers } = given;
    const host = setUp({ capacity, taskMs, wants: Array.from({ length: askers }, () => 500) });
    host.run(500);
    const { done, all, most, busy } = host.run(4000);
    expect(most).toBe(capacity);
    const able = (capacity * 4000) / (taskMs + 2 * WAY_MS);
    expect(all).toBeGreaterThan(0.93 * able);
    expect(Math.min(...done)).toBeGreaterThan((0.6 * all) / askers);
    expect(Math.max(...done)).toBeLessThan((1.5 * all) / askers);
    // A call that goes back costs two messages.
    expect(busy).toBeLessThan(all);
  });

  it('gives one that wants little what it wants, and the rest to another', () => {
    const host = setUp({ capacity: 16, taskMs: 100, wants: [500, 4] });
    host.run(500);
    const { done } = host.run(4000);
    expect(done[1]).toBeGreaterThan(0.9 * 4 * 39);
    expect(done[0]).toBeGreaterThan(0.9 * 12 * 39);
  });

  it('lets one have all again soon after the others have stopped', () => {
    const host = setUp({ capacity: 16, taskMs: 100, wants: [500, 500, 500] });
    host.run(500);
    host.want(1, 0);
    host.want(2, 0);
    host.run(400);
    expect(host.run(4000).done[0]).toBeGreaterThan(0.9 * 16 * 39);
    expect(host.askers[0]?.calls.credit).toBe(16);
  });

  it('lets dispatchers that have less than the host holds send without asking', () => {
    const host = setUp({ capacity: 16, taskMs: 100, wants: [6, 6] });
    const { busy } = host.run(4000);
    expect(busy).toBe(0);
  });

  it('has room for calls beside streams that wait, and calls that wait have it at once', () => {
    const host = setUp({ capacity: 4, taskMs: 100, wants: [] });
    const { admission } = host;
    const asker = new Asker(8, 0);
    const granted: number[] = [];
    asker.tellCredit = (credit) => granted.push(credit);
    host.sessions.set('streams', asker);
    const admitted = Array.from({ length: 5 }, () => admission.admit(asker));
    expect(admitted).toEqual([true, true, true, true, false]);
    expect(asker.calls.isBusy).toBe(true);
    admission.stall(asker);
    expect(granted).toEqual([4]);
    expect([admission.hasRoom, admission.admit(asker), admission.hasRoom]).toEqual([
      true,
      true,
      false,
    ]);
    admission.goOn(asker);
    expect([admission.running, admission.hasRoom]).toEqual([5, false]);
    admission.stall(asker);
    admission.ended(asker);
    expect([admission.running, admission.stalled]).toEqual([0, 0]);
    admission.close();
  });

  it('leaves one alone that is to send no calls', () => {
    const host = setUp({ capacity: 4, taskMs: 100, wants: [100, 100] });
    host.run(500);
    const [leaving] = host.askers as [Asker];
    leaving.takesCalls = false;
    host.admission.pause(leaving);
    leaving.wants = 0;
    const { credit } = leaving.calls;
    expect(host.run(1000).done[1]).toBeGreaterThan(30);
    expect(leaving.calls).toMatchObject({ isBusy: true, credit });
  });

  it.each([
    ['that filled it counts as full', 4, [100]],
    ['that left room counts as it did', 3, [50]],
  ])(
    'shares a host anew 50 ms after it was full: one whose session has ended %s',
    (_, calls, grantedAt) => {
      const clock = createManualClock();
      const sessions = new Map<string, AdmittedSession>();
      const admission = new Admission(sessions, 4, { clock, began: () => {} });
      const from = clock.now();
      const granted: number[] = [];
      const join = (name: string) => {
        const asker = new Asker(8, 0);
        sessions.set(name, asker);
        return asker;
      };
      const ends = join('ends');
      const waits = join('waits');
      waits.tellCredit = () => {
        granted.push(clock.now() - from);
      };
      for (let call = 0; call < calls; call += 1) admission.admit(ends);
      // The session was told to wait, and its call goes back.
      admission.pause(waits);
      admission.admit(waits);
      clock.advance(30);
      sessions.delete('ends');
      admission.ended(ends);
      clock.advance(120);
      expect(granted).toEqual(grantedAt);
      admission.close();
      expect(clock.pending).toBe(0);
    },
  );
});
