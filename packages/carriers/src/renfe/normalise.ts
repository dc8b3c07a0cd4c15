import {
  type CarrierAnswer,
  CarrierError,
  type CarrierErrorCode,
  createJourney,
  type Journey,
  type Offer,
  parseMoney,
  type ResolvedQuery,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { readDwrReply } from './dwr.ts';
import { LiteralError } from './javascript-literal.ts';
import type { RenfeWire } from './request.ts';
import { readLegs } from './rides.ts';

const codeByRenfeError: ReadonlyMap<string, CarrierErrorCode> = new Map([
  ['U001', 'AUTH'],
  ['U002', 'NOT_SERVED'],
  ['U003', 'DATE_OUT_OF_RANGE'],
  ['U014', 'RATE_LIMITED'],
]);

/** Makes journeys of Renfe's list of trains. */
export function normaliseRenfe(
  decoder: CarrierDecoder,
  wire: RenfeWire,
  query: ResolvedQuery,
): CarrierAnswer {
  const { read } = decoder;
  const value = read.record(replyOf(read, wire.body), 'reply');
  const lists = read.list(value['listadoTrenes'], 'listadoTrenes');
  const entries = lists.flatMap((list) =>
    read.list(
      read.record(list, 'listadoTrenes')['listviajeViewEnlaceBean'],
      'listviajeViewEnlaceBean',
    ),
  );
  return {
    journeys: entries.map((entry) =>
      read.guard(() => journeyOf(decoder, wire, query, read.record(entry, 'train'))),
    ),
  };
}

function replyOf(read: WireReader, body: Uint8Array): unknown {
  const script = read.decode(body);
  try {
    const { kind, value } = readDwrReply(script);
    if (kind === 'callback') return value;
    throw exceptionOf(read, value);
  } catch (cause) {
    if (cause instanceof LiteralError)
      throw read.error(`${cause.expected} at ${cause.offset}`, script.slice(cause.offset));
    throw cause;
  }
}

function exceptionOf(read: WireReader, value: unknown): CarrierError {
  const exception = read.record(value, 'exception');
  const given = exception['cdgoError'];
  const code = typeof given === 'string' ? codeByRenfeError.get(given) : undefined;
  if (code === undefined) return read.error('a known cdgoError', given);
  const message = `Cannot search renfe: a list of trains expected, got ${given}`;
  return new CarrierError(code, message);
}

function journeyOf(
  decoder: CarrierDecoder,
  wire: RenfeWire,
  query: ResolvedQuery,
  entry: WireRecord,
): Journey {
  return createJourney({
    source: 'renfe',
    legs: readLegs(decoder, entry, query),
    offers: readFares(decoder, entry, query, wire.receivedAt),
  });
}

type Conditions = Pick<Offer, 'travelClass' | 'flexibility'>;

// By the first two letters of codigoTarifa: the fare families of the wire.
const conditionsByFamily: ReadonlyMap<string, Conditions> = new Map<string, Conditions>([
  ['BA', { travelClass: 'second', flexibility: 'none' }],
  ['EL', { travelClass: 'second', flexibility: 'semi' }],
  ['EC', { travelClass: 'first', flexibility: 'semi' }],
  ['PR', { travelClass: 'first', flexibility: 'full' }],
]);
const unknownFamily: Conditions = { travelClass: 'any', flexibility: 'unknown' };

/** Reads the fares of one train: comma text, euros, per person. None when it is `completo`. */
function readFares(
  { read, total }: CarrierDecoder,
  entry: WireRecord,
  query: ResolvedQuery,
  fetchedAt: number,
): Offer[] {
  if (read.boolean(entry, 'completo')) return [];
  return read.list(entry['tarifasDisponibles'], 'tarifasDisponibles').map((value) => {
    const fare = read.record(value, 'tarifasDisponibles');
    const code = read.text(fare, 'codigoTarifa');
    const price = parseMoney(read.text(fare, 'precioTarifa'), { currency: 'EUR', decimal: ',' });
    return {
      id: code,
      seller: 'renfe',
      total: total(price, query),
      fareName: read.text(fare, 'titulo'),
      fetchedAt,
      ...(conditionsByFamily.get(code.slice(0, 2)) ?? unknownFamily),
    };
  });
}
