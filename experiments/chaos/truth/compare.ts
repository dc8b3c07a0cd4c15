import type { CarrierStatus, Journey, Leg } from '@ticketing/core';
import type { Question } from '../load/questions.ts';
import { CARRIERS, type CarrierId, lineOf, type Truth } from './expected-lines.ts';
import type { Difference, SearchFacts } from './search-facts.ts';

/** Parts of an answer to a search, of a document or put together from a stream. */
export interface SearchAnswer {
  readonly query?:
    | {
        readonly origin: { readonly id: string };
        readonly destination: { readonly id: string };
        readonly date: string;
        readonly passengers: readonly unknown[];
      }
    | undefined;
  readonly journeys: readonly Journey[];
  readonly carriers: readonly StatusWithAge[];
  readonly complete: boolean;
  readonly stream?: SearchFacts['stream'];
}

/** Status of a carrier; `ageMs` of an answer that was kept. */
export type StatusWithAge = CarrierStatus & { readonly ageMs?: number };

/** Compares an answer with its question and the timetable. */
export function compareAnswer(
  answer: SearchAnswer,
  { question, truth }: { readonly question: Question; readonly truth: Truth },
): SearchFacts {
  const without = answer.carriers.filter(isMissing);
  const missing = without.map(({ carrier }) => carrier);
  const paused = without.filter(isPaused).map(({ carrier }) => carrier);
  const asked = new Set(answer.carriers.map(({ carrier }) => carrier));
  const silent = CARRIERS.filter((carrier) => !asked.has(carrier));
  const differences = CARRIERS.flatMap((carrier) => {
    // A carrier without a status has failed to answer, unless the answer is complete.
    const isAbsent = missing.includes(carrier) || (silent.includes(carrier) && !answer.complete);
    return differencesOf(carrier, { answer, question, truth, isAbsent });
  });
  return {
    ...{ complete: answer.complete, missing, paused, differences, stream: answer.stream },
    otherQuestion: otherQuestion(answer, question),
    ageMs: Math.max(0, ...answer.carriers.map(({ ageMs = 0 }) => ageMs)),
  };
}

function isMissing({ state, error }: StatusWithAge): boolean {
  // An old answer in place of a failure is `ok` with that failure.
  return state === 'ok' ? error !== undefined : state !== 'empty';
}

/** States, and codes of errors, of carriers that are not asked for a while. */
const PAUSES: readonly (string | undefined)[] = [
  ...['circuit-open', 'rate-limited'],
  ...['CIRCUIT_OPEN', 'RATE_LIMITED'],
];

function isPaused({ state, error }: StatusWithAge): boolean {
  return PAUSES.includes(state) || PAUSES.includes(error?.code);
}

function differencesOf(
  carrier: CarrierId,
  about: {
    readonly answer: SearchAnswer;
    readonly question: Question;
    readonly truth: Truth;
    readonly isAbsent: boolean;
  },
): Difference[] {
  const expected = about.truth(about.question, carrier);
  const got = new Set(
    about.answer.journeys
      .filter(({ sources }) => sources.includes(carrier))
      .map((journey) => lineOfJourney(journey, carrier)),
  );
  const extra = [...got].filter((line) => !expected.has(line));
  const lacking = about.isAbsent ? [] : [...expected].filter((line) => !got.has(line));
  return [
    ...extra.map((line) => ({ carrier, kind: 'extra', line }) as const),
    ...lacking.map((line) => ({ carrier, kind: 'lacking', line }) as const),
  ];
}

function lineOfJourney({ departure, arrival, legs, offers }: Journey, carrier: CarrierId): string {
  const amounts = offers
    .filter(({ seller, rides }) => seller === carrier && rides === undefined)
    .map(({ total }) => total.amount);
  return lineOf(carrier, {
    departureMs: departure.ms,
    arrivalMs: arrival.ms,
    number: legs.find(isRide)?.number,
    least: amounts.length === 0 ? undefined : Math.min(...amounts),
  });
}

function isRide(leg: Leg): leg is Extract<Leg, { kind: 'ride' }> {
  return leg.kind === 'ride';
}

function otherQuestion({ query, stream }: SearchAnswer, question: Question): string | undefined {
  if (query === undefined)
    return stream === undefined ? 'the answer repeats no question' : undefined;
  const got = `${query.origin.id} ${query.destination.id} ${query.date} ${query.passengers.length}`;
  const { origin, destination, date, passengers } = question;
  const own = `uic:${origin} uic:${destination} ${date} ${passengers}`;
  return got === own ? undefined : `asked ${own}, answered ${got}`;
}
