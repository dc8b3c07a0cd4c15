import {
  type CarrierAnswer,
  CarrierError,
  type CarrierErrorCode,
  type CarrierQuery,
  createJourney,
  type Money,
  type MoneyFormat,
  type Offer,
  parseMoney,
} from '@ticketing/core';
import type { CarrierDecoder } from '../wire/decoder.ts';
import { readJourneys } from '../wire/read-journeys.ts';
import type { WireReader, WireRecord } from '../wire/wire-reader.ts';
import { readReplyBytes } from './dwr.ts';
import type { RenfeWire } from './request.ts';
import { readLegs } from './rides.ts';

const codeByRenfeError: ReadonlyMap<string, CarrierErrorCode> = new Map([
  ['U001', 'AUTH'],
  ['U002', 'NOT_SERVED'],
  ['U003', 'DATE_OUT_OF_RANGE'],
  ['U014', 'RATE_LIMITED'],
]);

/** Turns Renfe's list of trains into journeys. */
export function normaliseRenfe(
  decoder: CarrierDecoder,
  wire: RenfeWire,
  query: CarrierQuery,
): CarrierAnswer {
  const { read } = decoder;
  const { kind, value } = readReplyBytes(read, wire.body);
  if (kind === 'exception') throw exceptionOf(read, value);
  const lists = read.list(read.record(value, 'reply')['listadoTrenes'], 'listadoTrenes');
  const entries = lists.flatMap((list) =>
    read.list(
      read.record(list, 'listadoTrenes')['listviajeViewEnlaceBean'],
      'listviajeViewEnlaceBean',
    ),
  );
  return readJourneys(
    decoder,
    entries.map((entry) => read.record(entry, 'train')),
    (entry, row) =>
      createJourney({
        source: 'renfe',
        legs: readLegs(row, entry, query),
        offers: readFares(decoder, entry, query, wire.receivedAt),
      }),
  );
}

function exceptionOf(read: WireReader, value: unknown): CarrierError {
  const exception = read.record(value, 'exception');
  const renfeCode = exception['cdgoError'];
  const code = typeof renfeCode === 'string' ? codeByRenfeError.get(renfeCode) : undefined;
  if (code === undefined) return read.error('a known `cdgoError`', renfeCode);
  return new CarrierError(code, `Cannot ask \`renfe\`: it answered ${renfeCode}`);
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

const format: MoneyFormat = { currency: 'EUR', decimal: ',' };

/** Reads digits, a comma and two digits by their codes, in a fifth of the time; any other text as all amounts are read. */
function readPrice(text: string): Money {
  const comma = text.length - 3;
  if (comma < 1 || comma > 6 || text[comma] !== ',') return parseMoney(text, format);
  let amount = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (at === comma) continue;
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return parseMoney(text, format);
    amount = amount * 10 + digit;
  }
  return { amount, currency: 'EUR' };
}

/** Returns the fares of one train (euros per person, with a decimal comma); none when it is `completo`. */
function readFares(
  { read, total }: CarrierDecoder,
  entry: WireRecord,
  query: CarrierQuery,
  fetchedAt: number,
): Offer[] {
  if (read.boolean(entry, 'completo')) return [];
  return read.list(entry['tarifasDisponibles'], 'tarifasDisponibles').map((value) => {
    const fare = read.record(value, 'tarifasDisponibles');
    const code = read.text(fare, 'codigoTarifa');
    const price = readPrice(read.text(fare, 'precioTarifa'));
    const { travelClass, flexibility } = conditionsByFamily.get(code.slice(0, 2)) ?? unknownFamily;
    return {
      id: code,
      seller: 'renfe',
      total: total(price, query),
      fareName: read.text(fare, 'titulo'),
      fetchedAt,
      travelClass,
      flexibility,
    };
  });
}
