import { type CarrierAnswer, CarrierError, type CarrierErrorCode } from '@ticketing/core';
import type { KeepSettings } from './keep-settings.ts';

/** Answer of a carrier to one question, with its time. Plain data: it may come from another server. */
export interface CarrierRecord {
  /** Epoch ms at which the carrier answered; of several calls the first. */
  readonly at: number;
  /** Epoch ms at which the first of its offers ends. Absent: none says. */
  readonly validUntil?: number;
  readonly outcome:
    | { readonly kind: 'answer'; readonly answer: CarrierAnswer }
    /** The carrier answered that the question has no answer. */
    | { readonly kind: 'nothing'; readonly code: CarrierErrorCode; readonly message: string };
}

/** Codes by which a carrier answers that there is nothing: such an answer is kept like any other. */
const NOTHING: ReadonlySet<CarrierErrorCode> = new Set([
  'NO_RESULTS',
  'NOT_SERVED',
  'DATE_OUT_OF_RANGE',
]);

interface Interval {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Returns the record of an answer. Its offers know when they were fetched, by the clock of the process that asked. */
export function recordOf(answer: CarrierAnswer, { startedAt, endedAt }: Interval): CarrierRecord {
  let fetchedAt = endedAt;
  let validUntil = Number.POSITIVE_INFINITY;
  for (const { offers } of answer.journeys) {
    for (const offer of offers) {
      if (offer.fetchedAt < fetchedAt) fetchedAt = offer.fetchedAt;
      if (offer.validUntil !== undefined && offer.validUntil < validUntil) {
        validUntil = offer.validUntil;
      }
    }
  }
  return {
    at: Math.max(startedAt, fetchedAt),
    ...(validUntil < Number.POSITIVE_INFINITY && { validUntil }),
    outcome: { kind: 'answer', answer },
  };
}

/** Returns the record of an error that is an answer; `undefined` for any other. */
export function recordOfError(error: unknown, { endedAt }: Interval): CarrierRecord | undefined {
  const { code, message } = CarrierError.from(error);
  return NOTHING.has(code)
    ? { at: endedAt, outcome: { kind: 'nothing', code, message } }
    : undefined;
}

/** Returns whether a record has all that the carrier has: only such a one is kept. */
export function isWhole({ outcome }: CarrierRecord): boolean {
  return outcome.kind === 'nothing' || outcome.answer.failure === undefined;
}

/** Returns the milliseconds for which a record is fresh from now on, none of them after the end of an offer; 0 if it is not to be kept. */
export function freshLeft(record: CarrierRecord, { freshMs }: KeepSettings, now: number): number {
  return isWhole(record) ? leftOf(record, freshMs, now) : 0;
}

/** Returns the milliseconds after these for which it may be given while the carrier is asked again. */
export function staleLeft(record: CarrierRecord, keep: KeepSettings, now: number): number {
  const left = leftOf(record, keep.freshMs + keep.staleMs, now);
  return Math.max(0, left - freshLeft(record, keep, now));
}

function leftOf({ at, validUntil }: CarrierRecord, lifeMs: number, now: number): number {
  return Math.max(0, Math.min(at + lifeMs, validUntil ?? Number.POSITIVE_INFINITY) - now);
}

/**
 * Returns the answer of a record; `failure`: the reason why there is no newer one.
 *
 * @throws CarrierError of a record of nothing, unless there may be something by now
 */
export function answerOf({ outcome }: CarrierRecord, failure?: CarrierError): CarrierAnswer {
  if (failure !== undefined) {
    return { ...(outcome.kind === 'answer' ? outcome.answer : { journeys: [] }), failure };
  }
  if (outcome.kind === 'nothing') throw new CarrierError(outcome.code, outcome.message);
  return outcome.answer;
}

const SAMPLES = 8;

/** Returns about how many bytes a record has as JSON: by some of its journeys, because to write all of them costs as much as to read them. */
export function bytesOf({ outcome }: CarrierRecord): number {
  if (outcome.kind === 'nothing') return 200;
  const { journeys, ...rest } = outcome.answer;
  const step = Math.max(1, Math.floor(journeys.length / SAMPLES));
  const sample = journeys.filter((_, at) => at % step === 0);
  const perJourney = sample.length === 0 ? 0 : JSON.stringify(sample).length / sample.length;
  return Math.ceil(JSON.stringify(rest).length + perJourney * journeys.length);
}
