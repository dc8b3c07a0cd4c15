import { createInProcessDispatcher, defineTasks, systemClock } from '@ticketing/dispatch';
import { until } from '@ticketing/test-kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idleMsOf, Pulse, TICKS_OF_BEAT } from '../src/dispatcher/pulse.ts';
import { createNatsDispatcher, type NatsHost, serveNatsTasks } from '../src/index.ts';
import { createMemoryNats } from './memory-nats.ts';

const BEAT_MS = 200;
const TICK_MS = BEAT_MS / TICKS_OF_BEAT;

/** Opens a session, with a host that answers questions at once until it stops. */
function openSession(missedBeats = 3) {
  const pulse = new Pulse({ beatMs: BEAT_MS, missedBeats }, 0);
  const session = {
    now: 0,
    /** Times at which messages of the dispatcher were sent. */
    sentAt: [0],
    calls: 0,
    hostLives: true,
    silentAt: undefined as number | undefined,
    questions: [] as number[],
    call(): void {
      session.calls += 1;
      const asks = pulse.calls(session.sentAt.length, () => session.now);
      session.sentAt.push(session.now);
      if (asks) session.questions.push(session.now);
    },
    answer(): void {
      if (!session.hostLives || session.calls === 0) return;
      session.calls -= 1;
      pulse.heard(session.now, session.calls > 0);
    },
    tick(): void {
      session.now += TICK_MS;
      const hasCalls = session.calls > 0;
      if (pulse.isSilent(session.now)) session.silentAt ??= session.now;
      if (!pulse.isToAsk(session.now, { sent: session.sentAt.length, hasCalls })) return;
      pulse.asked(session.now, hasCalls);
      session.questions.push(session.now);
      session.sentAt.push(session.now);
      if (session.hostLives) pulse.heard(session.now, hasCalls);
    },
    ticks(count: number): void {
      for (let tick = 0; tick < count; tick += 1) session.tick();
    },
  };
  return { pulse, session };
}

describe('a session', () => {
  it('without calls is asked every twenty beats', () => {
    const { session } = openSession();
    session.ticks(60 * TICKS_OF_BEAT);
    expect(session.questions).toEqual([20, 40, 60].map((beats) => beats * BEAT_MS));
    expect(idleMsOf(BEAT_MS)).toBe(20 * BEAT_MS);
  });

  it('with short calls is asked by the first of them alone', () => {
    const { session } = openSession();
    for (let tick = 0; tick < 200; tick += 1) {
      session.call();
      if (tick > 0) session.answer();
      session.tick();
    }
    expect(session.questions).toEqual([0]);
  });

  it('with calls that take long is asked once a beat', () => {
    const { session } = openSession();
    session.call();
    session.ticks(10 * TICKS_OF_BEAT);
    const pauses = session.questions
      .slice(1)
      .map((at, index) => at - (session.questions[index] ?? 0));
    expect(pauses.length).toBeGreaterThanOrEqual(9);
    expect(pauses.every((pause) => pause > 0 && pause <= BEAT_MS)).toBe(true);
  });

  it('of which nothing is due is not silent, however long nothing comes', () => {
    const { session } = openSession();
    session.ticks(19 * TICKS_OF_BEAT);
    expect(session.silentAt).toBeUndefined();
    session.hostLives = false;
    session.ticks(6 * TICKS_OF_BEAT);
    // Asked after the twentieth beat.
    expect(session.silentAt).toBeLessThanOrEqual(24 * BEAT_MS);
  });

  it('is not silent because its own process slept', () => {
    const { session, pulse } = openSession();
    session.call();
    session.now += 10 * BEAT_MS;
    pulse.late(10 * BEAT_MS, session.now);
    expect(pulse.isSilent(session.now)).toBe(false);
    // A host that lives answers within a beat, however often this process sleeps.
    expect(pulse.isSilent(session.now + BEAT_MS + 1)).toBe(true);
  });

  it('is told a beat later at most, if its own process slept', () => {
    const { session, pulse } = openSession();
    session.call();
    session.now += 1.5 * BEAT_MS;
    pulse.late(1.5 * BEAT_MS, session.now);
    // There is more than a beat left.
    expect(pulse.isSilent(session.now + 1.5 * BEAT_MS)).toBe(false);
    expect(pulse.isSilent(session.now + 1.5 * BEAT_MS + 1)).toBe(true);
  });

  it('tells in time, whatever was sent before: death within a beat, silence within one more than are missed', () => {
    const step = fc.constantFrom('call', 'answer', 'tick', 'tick', 'tick');
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 300 }),
        fc.integer({ min: 1, max: 6 }),
        (steps, missed) => {
          const { session } = openSession(missed);
          const live = (): void => {
            for (const each of steps) {
              const before = session.sentAt.at(-1) ?? 0;
              const wasBusy = session.calls > 0;
              session[each]();
              // Messages by which the host sees that its dispatcher lives.
              if (wasBusy) expect(session.now - before).toBeLessThanOrEqual(BEAT_MS + TICK_MS);
            }
          };
          live();
          expect(session.silentAt).toBeUndefined();
          if (session.calls === 0) session.call();
          const stoppedAt = session.now;
          session.hostLives = false;
          session.ticks(10 * TICKS_OF_BEAT);
          const asked = session.questions.find((at) => at >= stoppedAt) ?? Number.POSITIVE_INFINITY;
          expect(asked - stoppedAt).toBeLessThanOrEqual(BEAT_MS);
          expect((session.silentAt ?? Number.POSITIVE_INFINITY) - stoppedAt).toBeLessThanOrEqual(
            (missed + 1) * BEAT_MS,
          );
        },
      ),
    );
  });
});

describe('calls that the server says nobody has heard', () => {
  it('are those since the question, if it was asked when none was under way', () => {
    const pulse = new Pulse({ beatMs: BEAT_MS, missedBeats: 3 }, 0);
    expect([pulse.calls(1, () => 0), pulse.calls(2, () => 0)]).toEqual([true, false]);
    expect([pulse.takeUnheard(), pulse.takeUnheard()]).toEqual([[1, 2], []]);
  });

  it('are none once the host was heard, or was asked again with calls under way: they may have begun', () => {
    const pulse = new Pulse({ beatMs: BEAT_MS, missedBeats: 3 }, 0);
    pulse.calls(1, () => 0);
    pulse.heard(1, true);
    pulse.calls(2, () => 1);
    expect(pulse.takeUnheard()).toEqual([]);
    pulse.heard(2, false);
    pulse.calls(3, () => 2);
    pulse.asked(BEAT_MS, true);
    expect(pulse.takeUnheard()).toEqual([]);
  });

  it('run elsewhere, without permission to run twice: a host that died idle loses none', async () => {
    const nats = createMemoryNats({ clock: systemClock });
    const serve = async (name: string) => {
      const connection = nats.connect();
      const local = createInProcessDispatcher(defineTasks({ where: () => name }));
      const host: NatsHost = serveNatsTasks({
        nats: connection,
        fleet: 'idle',
        dispatcher: local,
        tasks: ['where'],
        hostId: name,
      });
      await host.ready();
      return { connection, close: () => Promise.all([host.close(), local.close()]) };
    };
    const hosts = [await serve('a'), await serve('b')] as const;
    const dispatcher = createNatsDispatcher<{ where: () => string }>({
      nats: nats.connect(),
      fleet: 'idle',
      // Beats are so far apart that only calls ask.
      beatMs: 60_000,
    });
    await until(
      () => dispatcher.stats().workers.filter(({ state }) => state === 'ready').length === 2,
    );
    hosts[0].connection.disconnect();
    const calls = Array.from({ length: 40 }, () => dispatcher.run('where', undefined));
    expect(await Promise.all(calls)).toEqual(calls.map(() => 'b'));
    expect(dispatcher.stats()).toMatchObject({ retried: 0, lost: 1 });
    expect(dispatcher.fleet().lost['no-responders']).toBe(1);
    await dispatcher.close();
    for (const host of hosts) await host.close();
  });
});
