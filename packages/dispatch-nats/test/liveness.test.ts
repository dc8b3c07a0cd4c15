import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Activity, Liveness } from '../src/link/liveness.ts';

const BEAT_MS = 100;
const LIMIT_MS = 300;
const beats = { beatMs: BEAT_MS, missedBeats: 3 };

/** The host's end: the dispatcher is lost after 300 ms, or 1300 ms without calls. */
const create = () => new Liveness({ ...beats, idleMs: 1000, graceMs: LIMIT_MS }, 0);
/** The dispatcher's end: the host is lost after 300 ms, and speaks only if it is asked or has calls. */
const createAsking = () =>
  new Liveness({ ...beats, idleMs: Number.POSITIVE_INFINITY, graceMs: BEAT_MS }, 0);
const busy = (sent: number) => ({ sent, hasCalls: true });
const idle = (sent: number) => ({ sent, hasCalls: false });

describe('a dispatcher with calls', () => {
  it('is silent after its missed beats', () => {
    const liveness = create();
    expect(liveness.tick(250, 0, busy(1))).toBeUndefined();
    expect(liveness.tick(300, 0, busy(2))).toBeUndefined();
    expect(liveness.tick(301, 0, busy(3))).toBe('silent');
  });

  it('lives while its messages come and the host answers', () => {
    const liveness = create();
    for (let now = 100; now <= 2000; now += 100) {
      expect(liveness.heard(now, busy(now / 100))).toBeUndefined();
      liveness.answered();
      expect(liveness.tick(now, 0, busy(now / 100 + 1))).toBeUndefined();
    }
  });

  it('has given the host up that sent it nothing for as long', () => {
    const liveness = create();
    expect(liveness.heard(299, busy(0))).toBeUndefined();
    expect(liveness.heard(300, busy(0))).toBe('given-up');
    expect(liveness.tick(299, 0, busy(0))).toBeUndefined();
    expect(liveness.tick(300, 0, busy(0))).toBe('given-up');
  });

  it('has a message of the host by the tick before it at the latest', () => {
    const liveness = create();
    liveness.heard(100, busy(0));
    expect(liveness.tick(100, 0, busy(0))).toBeUndefined();
    // Sent between the ticks at 100 and 200, so it counts from 100 on.
    expect(liveness.tick(200, 0, busy(1))).toBeUndefined();
    expect(liveness.heard(399, busy(1))).toBeUndefined();
    expect(liveness.heard(400, busy(1))).toBe('given-up');
  });
});

describe('a dispatcher without calls', () => {
  it('is silent after its idle time and its missed beats', () => {
    const liveness = create();
    expect(liveness.tick(1300, 0, idle(0))).toBeUndefined();
    expect(liveness.tick(1301, 0, idle(0))).toBe('silent');
  });

  it('is not silent for the time that this process slept', () => {
    const liveness = create();
    expect(liveness.tick(2000, 700, idle(0))).toBeUndefined();
    expect(liveness.tick(2001, 0, idle(0))).toBe('silent');
  });

  it('may call after any silence of the host', () => {
    const liveness = create();
    for (let now = 100; now <= 1000; now += 100) liveness.tick(now, 0, idle(0));
    expect(liveness.heard(1050, idle(0))).toBeUndefined();
  });

  it('has given the host up if its message waited while this process slept', () => {
    const liveness = create();
    liveness.tick(100, 0, idle(0));
    expect(liveness.tick(900, 700, idle(0))).toBeUndefined();
    expect(liveness.heard(900, idle(0))).toBe('given-up');
  });
});

it('a host that has slept for half of the limit has messages of that time to read', () => {
  const heardAfter = (sleptMs: number) => {
    const liveness = create();
    liveness.tick(100, 0, idle(0));
    liveness.tick(400, sleptMs, idle(0));
    return liveness.heard(401, idle(0));
  };
  expect([heardAfter(149), heardAfter(150)]).toEqual([undefined, 'given-up']);
});

describe('a host', () => {
  it('is not silent, however long it sends nothing, while no sign is due', () => {
    const liveness = createAsking();
    expect(liveness.tick(1e9, 0, idle(0))).toBeUndefined();
    expect(liveness.dueMs(1e9, idle(0))).toBe(0);
  });

  it('that is asked is silent after its missed beats', () => {
    const liveness = createAsking();
    liveness.expect(1000, idle(0));
    // The sign is due since the first question.
    liveness.expect(1200, idle(1));
    expect([liveness.isExpecting, liveness.dueMs(1250, idle(1))]).toEqual([true, 250]);
    expect(liveness.tick(1300, 0, idle(1))).toBeUndefined();
    expect(liveness.tick(1301, 0, idle(2))).toBe('silent');
  });

  it('that is asked with calls under way is due since it was heard', () => {
    const liveness = createAsking();
    liveness.heard(1000, busy(0));
    liveness.expect(1200, busy(1));
    expect(liveness.dueMs(1250, busy(1))).toBe(250);
    liveness.heard(1260, idle(1));
    expect([liveness.isExpecting, liveness.dueMs(1270, idle(1))]).toEqual([false, 0]);
  });

  it('has a beat to answer after this process slept, and no more', () => {
    const liveness = createAsking();
    liveness.expect(0, idle(0));
    expect(liveness.tick(1000, 1000, busy(1))).not.toBe('silent');
    expect(liveness.tick(1000 + BEAT_MS, 0, busy(2))).not.toBe('silent');
    expect(liveness.tick(1001 + BEAT_MS, 0, busy(3))).toBe('silent');
  });

  it('has what it had left after this process slept, if that is more', () => {
    const liveness = createAsking();
    liveness.expect(0, idle(0));
    expect(liveness.tick(150, 150, busy(1))).not.toBe('silent');
    expect(liveness.tick(300, 0, busy(2))).not.toBe('silent');
    expect(liveness.tick(301, 0, busy(3))).toBe('silent');
  });
});

it('the time without a message is known at ticks, of this end and of both', () => {
  const liveness = createAsking();
  liveness.tick(100, 0, idle(1));
  liveness.tick(200, 0, idle(1));
  expect([liveness.unsentMs(250), liveness.quietMs(250)]).toEqual([150, 250]);
  liveness.heard(240, idle(1));
  expect([liveness.unsentMs(250), liveness.quietMs(250)]).toEqual([150, 150]);
});

const gap = fc.integer({ min: 0, max: LIMIT_MS });
const ends = [
  ['the host, with calls', create, true, LIMIT_MS],
  ['the host, without calls', create, false, LIMIT_MS + 1000],
  ['the dispatcher, with calls', createAsking, true, LIMIT_MS],
] as const;

it.each(ends)(
  'each message puts silence off; it is found after exactly the limit: at the end of %s',
  (_, createEnd, hasCalls, limitMs) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), gap), { maxLength: 50 }), (steps) => {
        const liveness = createEnd();
        let [now, heardAt, sent] = [0, 0, 0];
        for (const [isHeard, ms] of steps) {
          now = Math.min(now + ms, heardAt + limitMs);
          sent += 1;
          if (isHeard) {
            liveness.heard(now, { sent, hasCalls });
            heardAt = now;
          }
          expect(liveness.tick(now, 0, { sent, hasCalls })).not.toBe('silent');
        }
        expect(liveness.tick(heardAt + limitMs, 0, { sent: -1, hasCalls })).not.toBe('silent');
        expect(liveness.tick(heardAt + limitMs + 1, 0, { sent: -2, hasCalls })).toBe('silent');
      }),
    );
  },
);

it('a clock that jumps, because this process slept, is no silence: the time awake alone counts', () => {
  const period = fc.record({
    awakeMs: fc.integer({ min: 0, max: 200 }),
    sleptMs: fc.integer({ min: 0, max: 100_000 }),
  });
  fc.assert(
    fc.property(fc.array(period, { maxLength: 20 }), (periods) => {
      const liveness = create();
      let [now, awakeMs] = [0, 0];
      for (const [index, each] of periods.entries()) {
        now += each.awakeMs + each.sleptMs;
        awakeMs += each.awakeMs;
        const loss = liveness.tick(now, each.sleptMs, busy(index + 1));
        expect(loss === 'silent').toBe(awakeMs > LIMIT_MS);
      }
    }),
  );
});

/** Both ends of a session, and a host that sleeps. Messages need no time; a host that sleeps reads them in order, after its tick. */
function openSession() {
  const dispatcher = createAsking();
  const host = create();
  const session = {
    now: 0,
    calls: 0,
    hostCalls: 0,
    isGivenUp: false,
    /** Time at which the host wakes; undefined while it is awake. */
    wakesAt: undefined as number | undefined,
    inbox: [] as ('call' | 'ping')[],
    sent: { dispatcher: 0, host: 0 },
    dueAt: 100,
    /** Calls that began, and those of them after the dispatcher had found the host silent. */
    begun: 0,
    begunTooLate: 0,
    activityOf: (end: 'dispatcher' | 'host'): Activity => ({
      sent: session.sent[end],
      hasCalls: (end === 'host' ? session.hostCalls : session.calls) > 0,
    }),
    send(message: 'call' | 'ping'): void {
      dispatcher.expect(session.now, session.activityOf('dispatcher'));
      if (message === 'call') session.calls += 1;
      session.sent.dispatcher += 1;
      session.inbox.push(message);
      if (session.wakesAt === undefined) session.read();
    },
    read(): void {
      for (const message of session.inbox.splice(0)) {
        session.isGivenUp ||= host.heard(session.now, session.activityOf('host')) !== undefined;
        if (session.isGivenUp) return;
        if (message === 'call') {
          session.hostCalls += 1;
          session.begun += 1;
          const { hasCalls } = session.activityOf('dispatcher');
          if (dispatcher.dueMs(session.now, { hasCalls }) > LIMIT_MS) session.begunTooLate += 1;
        } else {
          host.answered();
          session.answer();
        }
      }
    },
    answer(): void {
      session.sent.host += 1;
      dispatcher.heard(session.now, session.activityOf('dispatcher'));
    },
    settle(): void {
      if (session.hostCalls === 0 || session.wakesAt !== undefined) return;
      session.hostCalls -= 1;
      session.calls -= 1;
      session.answer();
    },
    /** Passes 25 ms. */
    pass(): void {
      session.now += 25;
      dispatcher.tick(session.now, 0, session.activityOf('dispatcher'));
      if (session.now >= Math.max(session.wakesAt ?? 0, session.dueAt)) {
        session.wakesAt = undefined;
        const lateMs = session.now - session.dueAt;
        const loss = host.tick(session.now, lateMs, session.activityOf('host'));
        session.isGivenUp ||= loss !== undefined;
        session.dueAt = session.now + 100;
        if (!session.isGivenUp) session.read();
      }
      if (session.now % BEAT_MS === 0 && session.calls > 0) session.send('ping');
    },
  };
  return session;
}

it('no call begins on a host after its dispatcher has found it silent, however the host sleeps', () => {
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('call', 'settle', 'pass', 'pass', 'pass', 'pass') },
    { weight: 1, arbitrary: fc.integer({ min: 50, max: 800 }) },
  );
  let [begun, givenUp] = [0, 0];
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 200 }), (steps) => {
      const session = openSession();
      for (const each of steps) {
        if (session.isGivenUp) break;
        if (typeof each === 'number') {
          session.wakesAt = Math.max(session.wakesAt ?? 0, session.now + each);
        } else if (each === 'call') session.send('call');
        else session[each]();
      }
      expect(session.begunTooLate).toBe(0);
      begun += session.begun;
      givenUp += session.isGivenUp ? 1 : 0;
    }),
    { numRuns: 300 },
  );
  // The runs have both: calls, and hosts that end the session.
  expect(Math.min(begun, givenUp)).toBeGreaterThan(0);
});
