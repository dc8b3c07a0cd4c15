import {
  type CarrierQuery,
  createLocalClock,
  type LocalClock,
  type Money,
  type Station,
} from '@ticketing/core';
import { type StationCodes, stationTable } from '../stations/station-table.ts';
import { createWireReader, type WireReader, type WireRecord } from './wire-reader.ts';

/** Decodes one carrier's answers: the reader, the clock, and what wires have in common. */
export interface CarrierDecoder {
  readonly carrier: string;
  /** System of the codes of its stations. */
  readonly system: string;
  readonly read: WireReader;
  readonly clock: LocalClock;
  /** Returns the station that the carrier, or another system, knows by a code, or `undefined`. */
  stationOf(code: string, system?: string): Station | undefined;
  /** Returns the train number at `name`, without leading zeros; none for what is no number. */
  trainNumber(record: WireRecord, name: string): string | undefined;
  /** Returns the price for all passengers, of a wire whose prices are per person. */
  total(perPerson: Money, query: CarrierQuery): Money;
}

/** Options of a decoder for stations. */
export interface DecoderOptions {
  /** System of the codes on the wire. Default: the carrier's own. */
  readonly system?: string;
  /** Default: the committed table. */
  readonly stations?: StationCodes;
}

const MAX_FOUND = 1024;
const PLAIN_NUMBER = /^[1-9]\d{0,5}$/;

/** Creates the decoder of one carrier. */
export function createDecoder(
  carrier: string,
  { system = carrier, stations = stationTable }: DecoderOptions = {},
): CarrierDecoder {
  const read = createWireReader(carrier);
  // The committed table does not change, and the stations of an answer are few.
  const found = new Map<string, Station>();
  return {
    carrier,
    system,
    read,
    clock: createLocalClock(),
    stationOf(code, other = system) {
      if (other !== system || stations !== stationTable) return stations.byCode(other, code);
      const known = found.get(code);
      if (known !== undefined) return known;
      const station = stations.byCode(system, code);
      if (found.size >= MAX_FOUND) found.clear();
      if (station !== undefined) found.set(code, station);
      return station;
    },
    trainNumber(record, name) {
      const value = record[name];
      const text = Number.isSafeInteger(value) ? String(value) : value;
      if (typeof text !== 'string') return undefined;
      if (PLAIN_NUMBER.test(text)) return text;
      let zeros = 0;
      while (zeros < text.length - 1 && text[zeros] === '0') zeros += 1;
      const number = text.slice(zeros).trim();
      return /^\d{1,6}$/.test(number) ? number : undefined;
    },
    total({ amount, currency }, { passengers }) {
      if (amount < 0) throw read.error('a price of 0 or more', amount);
      return { amount: amount * passengers.length, currency };
    },
  };
}

/** Returns a decoder that knows the ends of a query by their codes too: they may be stations of another table than its own. */
export function withEnds(
  decoder: CarrierDecoder,
  { origin, destination }: Pick<CarrierQuery, 'origin' | 'destination'>,
): CarrierDecoder {
  const { system, stationOf } = decoder;
  const ends = [origin, destination].filter(({ codes }) => Object.hasOwn(codes, system));
  return {
    ...decoder,
    stationOf(code, other = system) {
      const end = ends.find(({ codes }) => other === system && codes[system] === code);
      return end ?? stationOf(code, other);
    },
  };
}
