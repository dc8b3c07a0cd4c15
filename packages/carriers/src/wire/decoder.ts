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
  /** Whose codes its stations have. */
  readonly system: string;
  readonly read: WireReader;
  readonly clock: LocalClock;
  /** Returns the station that the carrier, or another system, knows by a code, or `undefined`. */
  stationOf(code: string, system?: string): Station | undefined;
  /** Returns the train number at `name`, without leading zeros. */
  trainNumber(record: WireRecord, name: string): string;
  /** Returns the price for all passengers. */
  total(perPerson: Money, query: CarrierQuery): Money;
}

/** What a decoder knows of stations. */
export interface DecoderOptions {
  /** Whose codes the wire has. Default: the carrier's own. */
  readonly system?: string;
  /** Default: the committed table. */
  readonly stations?: StationCodes;
}

/** Creates the decoder of one carrier. */
export function createDecoder(
  carrier: string,
  { system = carrier, stations = stationTable }: DecoderOptions = {},
): CarrierDecoder {
  const read = createWireReader(carrier);
  return {
    carrier,
    system,
    read,
    clock: createLocalClock(),
    stationOf: (code, other = system) => stations.byCode(other, code),
    trainNumber(record, name) {
      const number = read.text(record, name).replace(/^0+(?=.)/, '');
      if (!/^\d{1,6}$/.test(number))
        throw read.error(`a train number at \`${name}\``, record[name]);
      return number;
    },
    total({ amount, currency }, { passengers }) {
      if (amount < 0) throw read.error('a price of 0 or more', amount);
      return { amount: amount * passengers.length, currency };
    },
  };
}
