import { stationTable } from '@ticketing/carriers';
import {
  type Carrier,
  type CarrierAnswer,
  createJourney,
  createLocalClock,
  createSearch,
  type Journey,
  type Offer,
  type RunCarrier,
  type RunContext,
  type Search,
  type SearchQuery,
  type Station,
} from '@ticketing/core';
import { vi } from 'vitest';
import { askAnew } from '../src/kept/ask-anew.ts';
import { createKeptAnswers, type KeptAnswers } from '../src/kept/kept-answers.ts';

const clock = createLocalClock();
export const NOW = clock.epoch('2026-11-30T10:00', 'Europe/Madrid');

function stationOf(text: string): Station {
  const match = stationTable.find(text);
  if (match.kind === 'found') return match.station;
  throw new Error(`no station ${text}`);
}

export const query: SearchQuery = {
  origin: stationOf('7160000'),
  destination: stationOf('7171801'),
  date: '2026-12-01',
};

/** One train with one offer, whose price is the number of the call that answered it. */
export function train(price: number, parts: Partial<Offer> = {}): Journey {
  return createJourney({
    source: 'renfe',
    legs: [
      {
        kind: 'ride',
        number: '3059',
        origin: query.origin.id,
        destination: query.destination.id,
        departure: clock.fromLocal('2026-12-01T06:15', 'Europe/Madrid'),
        arrival: clock.fromLocal('2026-12-01T08:45', 'Europe/Madrid'),
      },
    ],
    offers: [
      {
        id: `${price}`,
        seller: 'renfe',
        total: { amount: price, currency: 'EUR' },
        travelClass: 'any',
        flexibility: 'unknown',
        fetchedAt: Date.now(),
        ...parts,
      },
    ],
  });
}

const renfe: Carrier = {
  id: 'renfe',
  name: 'Renfe',
  request: async () => undefined,
  normalise: () => ({ journeys: [] }),
};

/** A call to the carrier that the test ends. */
export interface HeldCall {
  readonly context: RunContext;
  readonly date: string;
  isEnded: boolean;
  answer(answer?: CarrierAnswer | undefined): void;
  fail(error: unknown): void;
}

/** Deadline of a search, and of a load. */
export const DEADLINE_MS = 2000;
export const keep = { freshMs: 60_000, staleMs: 540_000 };

/** A search of one carrier behind kept answers; `calls`: each time that the carrier was asked. */
export function keptSearch(
  kept: KeptAnswers = keptAnswers(),
  guarded: (run: RunCarrier) => RunCarrier = (run) => run,
) {
  const calls: HeldCall[] = [];
  const search: Search = createSearch({
    carriers: [renfe],
    deadlineMs: DEADLINE_MS,
    run: kept.around(
      guarded(
        (_carrier, { date }, context) =>
          new Promise((resolve, reject) => {
            const number = calls.length + 1;
            const call: HeldCall = {
              context,
              date,
              isEnded: false,
              answer(answer = { journeys: [train(number)] }) {
                call.isEnded = true;
                resolve(answer);
              },
              fail(error) {
                call.isEnded = true;
                reject(error);
              },
            };
            calls.push(call);
          }),
      ),
    ),
  });
  /** Searches, and returns what became of the carrier. */
  async function ask(
    more: Partial<SearchQuery> = {},
    { fresh, ...options }: { fresh?: true; signal?: AbortSignal; deadlineMs?: number } = {},
  ) {
    const { carriers, complete, journeys } = await askAnew(fresh, () =>
      search.search({ ...query, ...more }, options),
    );
    const [{ state, cache, ageMs, error } = { state: 'running' as const }] = carriers;
    return {
      state,
      cache,
      ageMs,
      error: error?.code,
      retryAfterMs: error?.retryAfterMs,
      complete,
      prices: journeys.map(({ offers }) => offers[0]?.total.amount),
    };
  }
  return { calls, ask, kept, search };
}

export function keptAnswers(): KeptAnswers {
  return createKeptAnswers({ keep, deadlineMs: DEADLINE_MS, now: Date.now });
}

/** Lets promise jobs run, and time pass. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}
