import { createInProcessDispatcher, defineTasks, systemClock } from '@ticketing/dispatch';
import { until } from '@ticketing/test-kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idleMsOf, Questions, TICKS_OF_BEAT } from '../src/dispatcher/questions.ts';
import { createNatsDispatcher, type NatsHost, serveNatsTasks } from '../src/index.ts';
import { Liveness } from '../src/link/liveness.ts';
import { createMemoryNats } from './memory-nats.ts';

const BEAT_MS = 200;
const TICK_MS = BEAT_MS / TICKS_OF_BEAT;

/** The dispatcher's end of a session. */
function openEnd(missedBeats = 3) {
  const beats = { beatMs: BEAT_MS, missedBeats };
  const limits = { ...beats, idleMs: Number.POSITIVE_INFINITY, graceMs: BEAT_MS };
  const liveness = new Liveness(limits, 0);
  return { liveness, questions: new Questions(liveness, beats, 0) };
}

/** Opens a session, with a host that answers questions at once until it stops. */
function openSession(missedBeats = 3) {
  const { liveness, questions } = openEnd(missedBeats);
  const session = {
    now: 0,
    /** Times at which messages of the dispatcher were sent. */
    sentAt: [0],
    calls: 0,
    hostLives: true,
    silentAt: undefined as number | undefined,
    questions: [] as number[],
    call(): void {
      const isFirst = session.calls === 0 && !liveness.isExpecting;
      session.calls += 1;
      if (isFirst) {
        questions.began(session.now);
        session.questions.push(session.now);
      }
      questions.called(session.sentAt.length);
      session.sentAt.push(session.now);
    },
    heard(): void {
      liveness.heard(session.now, { sent: session.sentAt.length, hasCalls: session.calls > 0 });
      questions.answered();
    },
    answer(): void {
      if (!session.hostLives || session.calls === 0) return;
      session.calls -= 1;
      session.heard();
    },
    tick(): void {
      session.now += TICK_MS;
      const activity = { sent: session.sentAt.length, hasCalls: session.calls > 0 };
      const loss = liveness.tick(session.now, 0, activity);
      if (loss === 'silent') session.silentAt ??= session.now;
      if (!questions.isToAsk(session.now, activity)) return;
      questions.asked(session.now, activity);
      session.questions.push(session.now);
      session.sentAt.push(session.now);
      if (session.hostLives) session.heard();
    },
    ticks(count: number): void {
      for (let tick = 0; tick < count; tick += 1) session.tick();
    },
  };
  return { session };
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

  it('that is due is asked again after a beat, and when it becomes due just as it was asked', () => {
    const { liveness, questions } = openEnd();
    const busy = { sent: 1, hasCalls: true };
    const isToAsk = (now: number): boolean => {
      liveness.tick(now, 0, busy);
      return questions.isToAsk(now, busy);
    };
    questions.began(0);
    questions.called(1);
    expect(isToAsk(149)).toBe(false);
    // The sign has been due for as long as no question was sent.
    expect(isToAsk(150)).toBe(true);
    questions.asked(150, busy);
    expect([isToAsk(349), isToAsk(350)]).toEqual([false, true]);
  });

  it('that only hears is asked before its host takes the dispatcher for lost', () => {
    const { liveness, questions } = openEnd();
    const busy = { sent: 1, hasCalls: true };
    questions.began(0);
    const asked: number[] = [];
    for (let now = TICK_MS; now <= 2 * BEAT_MS; now += TICK_MS) {
      liveness.heard(now - 1, busy);
      liveness.tick(now, 0, busy);
      if (questions.isToAsk(now, busy)) asked.push(now);
    }
    // Seen as sent at the first tick.
    expect(asked[0]).toBe(TICK_MS + 0.75 * BEAT_MS);
  });

  it('that is busy is asked every 240 beats, for the time of its round trip', () => {
    const { liveness, questions } = openEnd();
    const asked: number[] = [];
    for (let tick = 1; tick <= 500 * TICKS_OF_BEAT; tick += 1) {
      const now = tick * TICK_MS;
      const activity = { sent: tick, hasCalls: true };
      liveness.heard(now, activity);
      liveness.tick(now, 0, activity);
      if (!questions.isToAsk(now, activity)) continue;
      questions.asked(now, activity);
      asked.push(now / BEAT_MS);
    }
    expect(asked).toEqual([240, 480]);
  });

  it('reports in time, whatever was sent before: death within a beat, silence within one more than are missed', () => {
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
    const { questions } = openEnd();
    questions.began(0);
    questions.called(1);
    questions.called(2);
    expect([questions.takeUnheard(), questions.takeUnheard()]).toEqual([[1, 2], []]);
    questions.asked(1, { hasCalls: false });
    questions.called(3);
    expect(questions.takeUnheard()).toEqual([3]);
  });

  it('are none once the host was heard, or was asked again with calls under way: they may have begun', () => {
    const { questions } = openEnd();
    questions.began(0);
    questions.called(1);
    questions.answered();
    questions.called(2);
    expect(questions.takeUnheard()).toEqual([]);
    questions.began(2);
    questions.called(3);
    questions.asked(BEAT_MS, { hasCalls: true });
    questions.called(4);
    expect(questions.takeUnheard()).toEqual([]);
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
