import { CarrierError, RailError, type RideLeg, type RideStop, type TimeAt } from '@ticketing/core';
import { LeftOut } from '../wire/read-journeys.ts';
import type { WireRecord } from '../wire/wire-reader.ts';
import { type Call, type CallDecoder, callOf, isGiven, platformOf } from './calls.ts';

/** Most stations of a ride on the way: of a longer list nothing is shown. */
const MAX_STOPS = 300;

/**
 * Reads where a ride calls between its ends. A list of which something cannot be read is none: it would lack a station, and costs no
 * journey.
 */
export function stopsOf(
  decoder: CallDecoder,
  { stopL }: WireRecord,
  ends: readonly [from: Call, to: Call],
): Pick<RideLeg, 'stops'> {
  if (!Array.isArray(stopL) || stopL.length > MAX_STOPS + 2) return {};
  try {
    // The list has both ends, too.
    const between = stopL.slice(1, -1).map((one) => decoder.row.read.record(one, 'stopL'));
    const stops: RideStop[] = [];
    let sinceMs = ends[0].plannedMs;
    for (const stop of between.filter(isCalled)) {
      const [read, lastMs] = stopOf(decoder, stop, sinceMs);
      stops.push(read);
      sinceMs = lastMs;
    }
    return { stops };
  } catch (error) {
    if (error instanceof LeftOut || CarrierError.is(error) || RailError.is(error)) return {};
    throw error;
  }
}

/** Trains pass some stations of a list without a stop. */
function isCalled({ aOutS, dInS }: WireRecord): boolean {
  return !(aOutS === false && dInS === false);
}

function stopOf(
  decoder: CallDecoder,
  stop: WireRecord,
  sinceMs: number,
): readonly [stop: RideStop, lastMs: number] {
  const calls: Partial<Record<'a' | 'd', Call>> = {};
  let lastMs = sinceMs;
  for (const prefix of ['a', 'd'] as const) {
    if (!isGiven(stop[`${prefix}TimeS`]) && !isGiven(stop[`${prefix}TimeR`])) continue;
    const offset = decoder.row.read.optionalNumber(stop, `${prefix}TZOffset`);
    calls[prefix] = callOf(decoder, stop, { prefix, offset, sinceMs: lastMs });
    lastMs = calls[prefix].plannedMs;
  }
  const { a, d } = calls;
  const known = a ?? d;
  if (known === undefined) throw new LeftOut('without a time of a stop');
  const at = (ms: number): TimeAt => decoder.row.clock.fromEpoch(ms, known.place.zone);
  const platform = d?.platform ?? a?.platform ?? platformOf(stop, 'd') ?? platformOf(stop, 'a');
  const read: RideStop = {
    station: known.place.id,
    ...(a && { arrival: at(a.plannedMs) }),
    ...(d && { departure: at(d.plannedMs) }),
    ...(a?.expectedMs !== undefined && { expectedArrival: at(a.expectedMs) }),
    ...(d?.expectedMs !== undefined && { expectedDeparture: at(d.expectedMs) }),
    ...(platform && { platform }),
    // A train that ends or begins there calls there.
    ...((a?.cancelled ?? true) && (d?.cancelled ?? true) && { cancelled: true }),
  };
  return [read, lastMs];
}
