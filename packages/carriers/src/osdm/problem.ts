import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import { statusError } from '../http/http-error.ts';

/** Problem (RFC 9457), as far as it decides the error. */
interface Problem {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly pointers?: unknown;
}

/** Statuses whose body has more than the status does. */
export const PROBLEM_STATUSES: readonly number[] = [400, 404, 406, 409, 415, 422, 501];

const NOTHING_FOUND = /NO_?(TRIP|OFFER|RESULT|CONNECTION|JOURNEY)/i;
const NOT_FOUND = /NOT_?FOUND/i;
const A_PLACE = /^(origin|destination)$|place(ref)?$/i;
const A_TIME = /(date|time)$/i;

const codeByStatus: ReadonlyMap<number, CarrierErrorCode> = new Map([
  [400, 'BAD_REQUEST'],
  [404, 'NO_RESULTS'],
  [406, 'BAD_REQUEST'],
  [409, 'BAD_REQUEST'],
  [415, 'BAD_REQUEST'],
  [422, 'BAD_REQUEST'],
  [501, 'BAD_REQUEST'],
]);

/**
 * Returns the error of a problem: by its code where that is known, by what its pointers point at, by its status. The codes of
 * problems are not part of the standard, so an unknown one decides nothing. `httpStatus` is that of the answer.
 */
export function problemError(carrier: string, problem: unknown, httpStatus: number): CarrierError {
  const { code, status, pointers } = Object(problem) as Problem;
  const told = typeof status === 'number' && status >= 400 && status < 600 ? status : httpStatus;
  const name = typeof code === 'string' && /^[\w.:-]{1,80}$/.test(code) ? code : undefined;
  const known = codeOf(name ?? '', pointersOf(pointers)) ?? codeByStatus.get(told);
  if (known === undefined && told >= 400) return statusError(carrier, told, undefined);
  const what =
    name ?? (told >= 400 ? `with status ${told}` : 'with a problem without code and status');
  return new CarrierError(known ?? 'UPSTREAM', `Cannot ask \`${carrier}\`: it answered ${what}`, {
    httpStatus,
  });
}

function codeOf(code: string, pointers: readonly string[]): CarrierErrorCode | undefined {
  if (NOTHING_FOUND.test(code)) return 'NO_RESULTS';
  const names = pointers.flatMap((pointer) => pointer.split('/'));
  if (names.some((name) => A_PLACE.test(name))) return 'NOT_SERVED';
  if (names.some((name) => A_TIME.test(name))) return 'DATE_OUT_OF_RANGE';
  return NOT_FOUND.test(code) ? 'NO_RESULTS' : undefined;
}

/** JSON pointers into the request, at most 20 of at most 200 characters. */
function pointersOf(pointers: unknown): readonly string[] {
  if (!Array.isArray(pointers)) return [];
  return pointers.slice(0, 20).flatMap((one) => {
    const { requestPointer } = Object(one) as { requestPointer?: unknown };
    return typeof requestPointer === 'string' ? [requestPointer.slice(0, 200)] : [];
  });
}
