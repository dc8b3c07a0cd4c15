import { CarrierError, type CarrierErrorCode } from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { createNotes, type HafasNotes } from './notes.ts';

/** One sound answer: connections, the lists that they point into, and how to ask for those around them. */
export interface HafasFrame {
  readonly connections: readonly WireRecord[];
  readonly locations: readonly unknown[];
  readonly products: readonly unknown[];
  readonly operators: readonly unknown[];
  readonly notes: HafasNotes;
  readonly earlier: string | undefined;
  readonly later: string | undefined;
}

const codes: Readonly<Record<string, CarrierErrorCode>> = {
  ...codesOf('AUTH', 'AUTH R5000 CLIENTVERSION VERSION'),
  ...codesOf('BAD_REQUEST', 'R0001 R0002 PARAMETER PARSE METHOD_NA'),
  ...codesOf('BAD_REQUEST', 'H455 H460 H500 H892 H9320 H9380 H9381'),
  ...codesOf('NO_RESULTS', 'H890 H891 H9240 NO_MATCH SQ005'),
  ...codesOf('NOT_SERVED', 'LOCATION H390 H9220 H9260 H9280 H9300 H895'),
  ...codesOf('DATE_OUT_OF_RANGE', 'H9360'),
  ...codesOf('HTTP', 'S1 R0007 PROBLEMS H_UNKNOWN H9230 H9250 H410 H899 H900 SQ001 TI001'),
};

function codesOf(code: CarrierErrorCode, own: string): Record<string, CarrierErrorCode> {
  return Object.fromEntries(own.split(' ').map((name) => [name, code]));
}

/**
 * Reads an answer. Errors come with status 200: in the envelope, then in the answer to the search. Answers to other methods may be
 * beside it, in any order.
 *
 * @throws CarrierError
 */
export function readFrame({ read, carrier }: CarrierDecoder, bytes: Uint8Array): HafasFrame {
  const envelope = read.record(read.json(bytes), 'answer');
  throwUnlessOk(read, carrier, envelope['err']);
  const services = read.records(envelope['svcResL'], 'svcResL');
  const service = services.find(({ meth }) => meth === 'TripSearch');
  const unnamed = services.find(({ meth }) => meth === undefined || meth === null);
  const own = service ?? unnamed;
  if (own === undefined) {
    // The other methods may have the reason why there is no answer to the search.
    for (const { err } of services) throwUnlessOk(read, carrier, err);
    throw read.error(
      'an answer to `TripSearch` at `svcResL`',
      services.length === 0 ? [] : 'others',
    );
  }
  throwUnlessOk(read, carrier, own['err']);
  const answer = read.record(own['res'], 'res');
  const common = read.record(answer['common'] ?? {}, 'common');
  return {
    // Servers leave empty lists out.
    connections: read.records(answer['outConL'], 'outConL'),
    locations: read.items(common['locL'], 'locL'),
    products: read.items(common['prodL'], 'prodL'),
    operators: read.items(common['opL'], 'opL'),
    notes: createNotes(common),
    earlier: contextOf(read, answer, 'outCtxScrB'),
    later: contextOf(read, answer, 'outCtxScrF'),
  };
}

/** A code that the table lacks is an error of the server, too. */
function throwUnlessOk(read: WireReader, carrier: string, err: unknown): void {
  if (err === 'OK' || err === undefined || err === null) return;
  if (typeof err !== 'string') throw read.error('an error code', err);
  const code = (Object.hasOwn(codes, err) ? codes[err] : undefined) ?? 'UPSTREAM';
  throw new CarrierError(
    code,
    `Cannot ask \`${carrier}\`: it answered ${err.slice(0, 60)}`,
    code === 'HTTP' ? { retryable: true } : {},
  );
}

function contextOf(read: WireReader, answer: WireRecord, name: string): string | undefined {
  const context = answer[name] ?? undefined;
  return context === undefined ? undefined : read.text(answer, name) || undefined;
}
