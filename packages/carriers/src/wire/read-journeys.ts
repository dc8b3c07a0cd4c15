import { type CarrierAnswer, type Journey, type Place, RailError } from '@ticketing/core';
import type { CarrierDecoder } from './decoder.ts';
import { shownText } from './shown-text.ts';
import type { WireReader, WireRecord } from './wire-reader.ts';

/** A station of an answer: one of the table, or one that only the wire names. */
export interface WirePlace extends Place {
  readonly zone: string;
}

/** Decodes one journey of an answer. */
export interface JourneyDecoder extends CarrierDecoder {
  /**
   * Returns the station whose code is at `name`. One that the table lacks becomes a place of the answer, if the
   * wire gives its zone: a code is opaque, and may have any characters.
   *
   * @throws LeftOut without a code or a zone, or for a code of more than 512 characters
   */
  station(record: WireRecord, name: string, wire?: NamedStation): WirePlace;
  /**
   * Returns a place without a code, such as an address, by its position, else by its name.
   *
   * @throws LeftOut without both
   */
  address(wire: Omit<NamedStation, 'system'>): WirePlace;
}

/** Data of a station on a wire beside its code. */
export interface NamedStation {
  readonly name: unknown;
  readonly zone: string;
  readonly latitude?: number;
  readonly longitude?: number;
  /** System of the code. Default: that of the decoder. */
  readonly system?: string;
}

/**
 * Error of a journey that was read, but that the model cannot hold: it is left out of the answer, and counted by the reason. The
 * reasons of a wire are few: what differs from journey to journey is in none.
 */
export class LeftOut extends Error {}

/** Longest code of a station. */
const MAX_CODE_LENGTH = 512;

/** Reasons that are counted one by one, and characters of each. */
const MAX_REASONS = 8;
const MAX_REASON_LENGTH = 100;

/**
 * Returns the journeys of an answer and the places that they name. A journey that is `LeftOut`, or whose trains are not in
 * order of time, is counted in `filtered` and by its reason in `leftOut`, however many of the answer are.
 *
 * @throws CarrierError `PROTOCOL` for what cannot be read in any of them
 */
export function readJourneys<Row>(
  decoder: CarrierDecoder,
  rows: readonly Row[],
  decode: (row: Row, decoder: JourneyDecoder) => Journey,
): CarrierAnswer {
  const { read } = decoder;
  const journeys: Journey[] = [];
  const places = new Map<string, Place>();
  const leftOut = new Map<string, number>();
  let named: Place[] = [];
  const own = journeyDecoder(decoder, {
    isNoted: (id) => places.has(id),
    note: (place) => named.push(place),
  });
  let at = 0;
  const decodeNext = (): Journey => decode(rows[at] as Row, own);
  for (; at < rows.length; at += 1) {
    const journey = orLeftOut(read, decodeNext);
    if (journey instanceof LeftOut) {
      count(leftOut, journey.message);
    } else {
      journeys.push(journey);
      for (const place of named) places.set(place.id, place);
    }
    if (named.length > 0) named = [];
  }
  const filtered = rows.length - journeys.length;
  return {
    journeys,
    ...(places.size > 0 && { places: [...places.values()] }),
    ...(filtered > 0 && { filtered, leftOut: Object.fromEntries(leftOut) }),
  };
}

function count(reasons: Map<string, number>, message: string): void {
  const reason = message.slice(0, MAX_REASON_LENGTH);
  const name = reasons.size < MAX_REASONS || reasons.has(reason) ? reason : 'for other reasons';
  reasons.set(name, (reasons.get(name) ?? 0) + 1);
}

function orLeftOut(read: WireReader, decode: () => Journey): Journey | LeftOut {
  try {
    return read.guard(decode);
  } catch (error) {
    if (error instanceof LeftOut) return error;
    const { cause } = error as Error;
    // Without a parameter it is the journey that is wrong, not a field of it.
    if (RailError.is(cause) && cause.code === 'ERR_JOURNEY' && !cause.data.parameter) {
      return new LeftOut(`without ${cause.data.expected}`);
    }
    throw error;
  }
}

/** The places of an answer. */
interface NotedPlaces {
  /** Returns whether a journey before has named it. */
  isNoted(id: string): boolean;
  /** Gets each place that a journey names, places of the table until they are noted. */
  note(place: Place): void;
}

function journeyDecoder(decoder: CarrierDecoder, { isNoted, note }: NotedPlaces): JourneyDecoder {
  const { read } = decoder;
  return {
    ...decoder,
    station(record, field, wire) {
      if (record[field] === undefined || record[field] === null) {
        throw new LeftOut(`without \`${field}\``);
      }
      const value = record[field];
      const code = Number.isSafeInteger(value) ? String(value) : read.text(record, field);
      const station = decoder.stationOf(code, wire?.system);
      if (station !== undefined) {
        const { id, name, zone, latitude, longitude } = station;
        if (!isNoted(id)) note({ id, name, zone, latitude, longitude });
        return station;
      }
      if (wire === undefined) throw new LeftOut('with an unknown station');
      if (code === '') throw new LeftOut(`without \`${field}\``);
      if (code.length > MAX_CODE_LENGTH) {
        throw new LeftOut(`with a code of more than ${MAX_CODE_LENGTH} characters`);
      }
      const { system = decoder.system, ...rest } = wire;
      return placeOf(`${system}:${code}`, rest, code);
    },
    address(wire) {
      const { latitude, longitude } = wire;
      const isPlaced = latitude !== undefined && longitude !== undefined;
      const known = isPlaced
        ? `${latitude.toFixed(5)},${longitude.toFixed(5)}`
        : shownText(wire.name);
      if (known === undefined) throw new LeftOut('without a stop or an address');
      return placeOf(`${decoder.carrier}:${known}`, wire, known);
    },
  };

  function placeOf(id: string, wire: NamedStation, fallback: string): WirePlace {
    const place = { ...wire, id, name: shownText(wire.name) ?? fallback };
    note(place);
    return place;
  }
}

/** Returns the ids of all places that journeys name: the ends of their legs and sections, and stops on the way. */
export function placesNamedBy(journeys: readonly Journey[]): ReadonlySet<string> {
  return new Set(
    journeys.flatMap(({ legs }) =>
      legs.flatMap((leg) => {
        const [sections = [], stops = []] = leg.kind === 'ride' ? [leg.sections, leg.stops] : [];
        const ends = [leg, ...sections].flatMap(({ origin, destination }) => [origin, destination]);
        return [...ends, ...stops.map(({ station }) => station)];
      }),
    ),
  );
}
