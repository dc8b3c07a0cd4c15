import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import { statusError } from '../http/http-error.ts';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type RegionClock, type Span, spanOf, zoneIn } from './times.ts';

/** One answer as it came. */
export interface NavitiaAnswer {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** An answer that was decoded. */
export interface NavitiaBody {
  readonly journeys: readonly WireRecord[];
  readonly region: RegionClock;
  readonly body: WireRecord;
}

/** Decoder of a region, and the zone of one that names none. */
export interface RegionReader {
  readonly decoder: Pick<CarrierDecoder, 'carrier' | 'read' | 'clock'>;
  readonly zone: string;
}

/**
 * Reads an answer with its journeys.
 *
 * @throws CarrierError the error that an answer without journeys has; `PROTOCOL` for bytes that are no answer
 */
export function readAnswer({ decoder, zone }: RegionReader, answer: NavitiaAnswer): NavitiaBody {
  const { read, carrier, clock } = decoder;
  const { status } = answer;
  let body: WireRecord;
  try {
    body = read.record(read.json(answer.body), 'answer');
  } catch (error) {
    // A status without a reason is one.
    throw status >= 400 ? problemError(carrier, undefined, status) : error;
  }
  const id = problemId(body);
  if (status >= 400) throw problemError(carrier, id, status);
  const journeys = read.records(body['journeys'], 'journeys');
  if (journeys.length === 0) {
    if (id !== undefined) throw problemError(carrier, id, status);
    if (body['journeys'] === undefined) throw read.error('journeys or an error', body);
  }
  const own = zoneIn(Object(body['context']) as WireRecord, { clock, zone });
  return { journeys, body, region: { clock, zone: own } };
}

/**
 * Returns when the journeys of an answer leave and arrive, as far as they can be read: what is found decides what is asked next, and
 * nothing else. `undefined` for an answer without any.
 */
export function timesIn(reader: RegionReader, answer: NavitiaAnswer): readonly Span[] | undefined {
  try {
    const { journeys, region } = readAnswer(reader, answer);
    const spans = journeys.flatMap(
      ({ departure_date_time: departure, arrival_date_time: arrival, duration }) =>
        spanOf({ departure, arrival, duration }, region) ?? [],
    );
    return spans.length > 0 ? spans : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the code of the error that an answer has; `undefined` for one with journeys. */
export function problemIn(
  reader: RegionReader,
  answer: NavitiaAnswer,
): CarrierErrorCode | undefined {
  try {
    readAnswer(reader, answer);
    return undefined;
  } catch (error) {
    return CarrierError.is(error) ? error.code : 'PROTOCOL';
  }
}

/** Statuses whose body has the reason. */
export const PROBLEM_STATUSES: readonly number[] = [400, 404];

const codeById: ReadonlyMap<string, CarrierErrorCode> = new Map([
  ['no_solution', 'NO_RESULTS'],
  ['date_out_of_bounds', 'DATE_OUT_OF_RANGE'],
  ['no_origin', 'NOT_SERVED'],
  ['no_destination', 'NOT_SERVED'],
  ['no_origin_nor_destination', 'NOT_SERVED'],
  ['unknown_object', 'NOT_SERVED'],
  ['bad_filter', 'BAD_REQUEST'],
  ['bad_format', 'BAD_REQUEST'],
  ['unable_to_parse', 'BAD_REQUEST'],
  ['unknown_api', 'BAD_REQUEST'],
  ['config_exception', 'BAD_REQUEST'],
  ['service_unavailable', 'OVERLOADED'],
  ['dead_socket', 'OVERLOADED'],
  ['internal_error', 'HTTP'],
  ['technical_error', 'HTTP'],
]);

const ID = /^[a-z][a-z_]{0,60}$/;

/** Returns the id of the error that an answer has; `undefined` without one. An error that is a text alone has no id. */
function problemId({ error }: WireRecord): string | undefined {
  if (error === undefined || error === null) return undefined;
  const { id } = Object(error) as WireRecord;
  return typeof id === 'string' && ID.test(id) ? id : 'an error without an id';
}

/** Returns the error for an answer that has one, or whose status is one. The status decides where the id is unknown. */
function problemError(carrier: string, id: string | undefined, status: number): CarrierError {
  // Wrong arguments of a request have the id of an unknown object.
  const isRefused = status === 400 && id === 'unknown_object';
  const code = isRefused ? 'BAD_REQUEST' : codeById.get(id ?? '');
  if (code === undefined) {
    if (status >= 400) return statusError(carrier, status, undefined);
    return new CarrierError('UPSTREAM', `Cannot ask \`${carrier}\`: it answered ${id}`);
  }
  return new CarrierError(code, `Cannot ask \`${carrier}\`: it answered ${id}`, {
    ...(status >= 400 && { httpStatus: status }),
    ...(status >= 500 && { retryable: true }),
  });
}
