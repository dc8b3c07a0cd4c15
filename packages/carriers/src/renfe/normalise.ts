import {
  type CarrierAnswer,
  CarrierError,
  type CarrierErrorCode,
  type CarrierQuery,
  createJourney,
} from '@ticketing/core';
import { type CarrierDecoder, withEnds } from '../wire/decoder.ts';
import { readJourneys } from '../wire/read-journeys.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { withOperators } from '../wire/with-operators.ts';
import { readReplyBytes } from './dwr.ts';
import { readFares } from './fares.ts';
import type { RenfeWire } from './request.ts';
import { noticesOf, readLegs } from './rides.ts';

const codeByRenfeError: ReadonlyMap<string, CarrierErrorCode> = new Map([
  ['U001', 'AUTH'],
  ['U002', 'NOT_SERVED'],
  ['U003', 'DATE_OUT_OF_RANGE'],
  ['U014', 'RATE_LIMITED'],
  // The pair is one of Cercanías, which another shop sells.
  ['CRC1', 'NOT_SERVED'],
]);

/** Milliseconds for which Renfe refuses a client after `U014`. The answer does not have them. */
const SILENCE_MS = 600_000;

/** Turns Renfe's list of trains into journeys. */
export function normaliseRenfe(
  plain: CarrierDecoder,
  wire: RenfeWire,
  query: CarrierQuery,
): CarrierAnswer {
  const decoder = withEnds(plain, query);
  const { read } = decoder;
  const { reply, lists } = readLists(read, wire.body);
  const entries = lists.flatMap((list) => entriesOf(read, list));
  if (entries.length === 0) throwError(read, reply);
  const context = { query, fetchedAt: wire.receivedAt, known: new Map() };
  const answer = readJourneys(decoder, entries, (entry, row) =>
    createJourney({
      source: 'renfe',
      legs: readLegs(row, entry, query),
      offers: readFares(decoder, entry, context),
      remarks: noticesOf(entry),
    }),
  );
  return withOperators(answer, { renfe: 'Renfe' });
}

/**
 * Returns the lists of the way out.
 *
 * @throws CarrierError for an exception in place of a reply
 */
export function readLists(
  read: WireReader,
  body: Uint8Array,
): { readonly reply: WireRecord; readonly lists: readonly WireRecord[] } {
  const { kind, value } = readReplyBytes(read, body);
  if (kind === 'exception') throw exceptionOf(read, value);
  const reply = read.record(value, 'reply');
  if (reply['listadoTrenes'] === undefined && !hasError(read, reply)) {
    throw read.error('a list at `listadoTrenes`', undefined);
  }
  // The list of the way back is there unasked, and then has an error.
  const lists = read
    .records(reply['listadoTrenes'], 'listadoTrenes')
    .filter((list) => list['viajeIda'] !== false);
  return { reply, lists };
}

/** Returns the trains of a list. A list without trains has the reason: there are none, or what went wrong. */
function entriesOf(read: WireReader, list: WireRecord): readonly WireRecord[] {
  const entries = read.records(list['listviajeViewEnlaceBean'], 'listviajeViewEnlaceBean');
  if (entries.length === 0) throwError(read, list);
  return entries;
}

function hasError(read: WireReader, record: WireRecord): boolean {
  return read.optionalText(record, 'cdgoError') !== undefined || read.isTrue(record, 'hayError');
}

/** @throws CarrierError the error of a list, or of the reply around the lists */
function throwError(read: WireReader, record: WireRecord): void {
  if (!hasError(read, record)) return;
  const code = read.optionalText(record, 'cdgoError');
  throw refusal(code ?? read.optionalText(record, 'mensajeListaTrenVacia') ?? 'an error', code);
}

function exceptionOf(read: WireReader, value: unknown): CarrierError {
  const exception = read.record(value ?? {}, 'exception');
  const code = read.optionalText(exception, 'cdgoError');
  const what = code ?? read.optionalText(exception, 'message');
  return refusal(what ?? read.optionalText(exception, 'javaClassName') ?? 'an exception', code);
}

/** A code that is not known is an error of the server. */
function refusal(what: string, renfeCode: string | undefined): CarrierError {
  const code = (renfeCode !== undefined && codeByRenfeError.get(renfeCode)) || 'UPSTREAM';
  return new CarrierError(code, `Cannot ask \`renfe\`: it answered ${what}`, {
    ...(code === 'RATE_LIMITED' && { retryAfterMs: SILENCE_MS }),
  });
}
