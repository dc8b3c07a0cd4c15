import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import { scaled } from '@ticketing/test-kit';
import { useFakeClock } from '@ticketing/test-kit/fake-clock';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { keep, keptSearch, NOW, pass, train } from './kept-search.ts';

const RUNS = scaled({ fast: 60, full: 3000 });
const QUESTIONS = 2;
const TIMES = [0, 1, 700, 1999, 2000, 30_000, 61_000, 300_000, 600_000];
const CODES = ['NETWORK', 'TIMEOUT', 'RATE_LIMITED', 'CIRCUIT_OPEN'] as const;

type Step =
  | {
      readonly kind: 'ask' | 'fresh' | 'answer' | 'early';
      readonly question: number;
      readonly validMs?: number | undefined;
    }
  | { readonly kind: 'fail'; readonly question: number; readonly code: CarrierErrorCode }
  | { readonly kind: 'wait'; readonly ms: number };

const question = fc.nat(QUESTIONS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), question }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fresh' as const), question }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('answer' as const, 'answer' as const, 'early' as const),
      question,
      validMs: fc.option(fc.constantFrom(500, 20_000, 200_000), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      question,
      code: fc.constantFrom(...CODES),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(...TIMES) }),
  },
);

/** One answer of the carrier, by its price. */
interface Given {
  readonly at: number;
  readonly question: number;
  readonly isEarly: boolean;
  readonly validUntil: number;
}

useFakeClock(NOW);

/** Follows steps, and checks each answer against what the carrier had said. */
async function follow(steps: readonly Step[]): Promise<void> {
  vi.setSystemTime(NOW);
  const { ask, calls, kept, search } = keptSearch();
  const given = new Map<number, Given>();
  /** Calls that wait for their answer, by question. */
  const open = (of: number) =>
    calls.filter(
      ({ date, context, isEnded }) => date === dayOf(of) && !isEnded && !context.signal.aborted,
    );
  const asked: Promise<void>[] = [];

  async function check(of: number, fresh: boolean): Promise<void> {
    const startedAt = Date.now();
    const answer = await ask({ date: dayOf(of) }, fresh ? { fresh: true } : {});
    const { cache, ageMs = 0, error, complete, prices, state } = answer;
    expect(complete).toBe(error === undefined);
    if (cache === undefined) expect(answer.ageMs).toBe(undefined);
    if (state !== 'ok') {
      expect(prices).toEqual([]);
      return;
    }
    const source = given.get(prices[0] ?? 0);
    expect(source?.question).toBe(of);
    if (source === undefined) return;
    if (cache === undefined) {
      // It waited for the carrier.
      expect(source.at).toBeGreaterThanOrEqual(startedAt);
      expect(error !== undefined).toBe(source.isEarly);
      return;
    }
    expect(fresh).toBe(false);
    expect(source.isEarly).toBe(false);
    expect(ageMs).toBe(startedAt - source.at);
    expect(startedAt).toBeLessThan(source.validUntil);
    expect(ageMs).toBeLessThan(keep.freshMs + keep.staleMs);
    expect(cache).toBe(ageMs < keep.freshMs ? 'fresh' : 'stale');
    if (cache === 'fresh') expect(error).toBe(undefined);
  }

  for (const now of steps) {
    if (now.kind === 'wait') await pass(now.ms);
    else if (now.kind === 'ask' || now.kind === 'fresh') {
      asked.push(check(now.question, now.kind === 'fresh'));
      await pass(0);
    } else {
      const [call] = open(now.question);
      if (call === undefined) continue;
      if (now.kind === 'fail') call.fail(new CarrierError(now.code, 'no'));
      else {
        const price = calls.indexOf(call) + 1;
        const validUntil = now.validMs === undefined ? undefined : Date.now() + now.validMs;
        const isEarly = now.kind === 'early';
        given.set(price, {
          ...{ at: Date.now(), question: now.question, isEarly },
          validUntil: validUntil ?? Number.POSITIVE_INFINITY,
        });
        call.answer({
          journeys: [train(price, validUntil === undefined ? {} : { validUntil })],
          ...(isEarly && { failure: { code: 'TIMEOUT', message: 'no time' } }),
        });
      }
      await pass(0);
    }
    for (let of = 0; of < QUESTIONS; of += 1) expect(open(of).length).toBeLessThanOrEqual(1);
  }
  // Whoever waits has an answer at its deadline, and each load ends at its own.
  await pass(10_000);
  await Promise.all(asked);
  expect(kept.stats()).toMatchObject({ inFlight: 0 });
  await search.close();
  await kept.close();
  expect(vi.getTimerCount()).toBe(0);
}

const dayOf = (of: number): string => `2026-12-0${of + 1}`;

test('whatever happens, an answer is one that the carrier gave, of its age, and says what it is', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), follow), { numRuns: RUNS });
}, 600_000);
