import {
  describeRun,
  type SimEmissions,
  type SimPlatform,
  type SimRemark,
  type SimStop,
} from '../../timetable/europe/run-details.ts';
import { fareTermsOf } from '../../timetable/fare-terms.ts';
import { stationOf } from '../../timetable/network.ts';
import type { TrainFare, TrainRun } from '../../timetable/train.ts';

/** Fields of a train in OSDM besides its ends and times. */
export interface OsdmDetails {
  readonly start: object;
  readonly end: object;
  readonly service: object;
  /** Fields of the leg itself. */
  readonly leg: object;
  /** Numbers of the trains that run with it. */
  readonly coupled: readonly string[];
  /** Stops in order; only if they are asked for. */
  readonly intermediates: readonly object[];
}

/** Returns the details of a train. `time` writes a time at a station, `ref` a station. */
export function detailsOfLeg(
  run: TrainRun,
  { time, ref }: { time(ms: number, uic: string): object; ref(uic: string): object },
): OsdmDetails {
  const { departurePlatform, arrivalPlatform, stops, remarks, coupled, emissions } =
    describeRun(run);
  const intermediate = ({ station, arrivalMs, departureMs, platform }: SimStop): object => ({
    stopPlaceRef: ref(station),
    stopPlaceName: stationOf(station).name,
    ...platformNames(platform),
    serviceArrival: time(arrivalMs, station),
    serviceDeparture: time(departureMs, station),
    status: { requestStop: false, ...(run.cancelled && { notServicedStop: true }) },
  });
  return {
    start: platformNames(departurePlatform),
    end: platformNames(arrivalPlatform),
    service: messagesOf(remarks),
    leg: emissions === undefined ? {} : { co2Emission: quantityOf(emissions) },
    coupled,
    intermediates: stops.map(intermediate),
  };
}

/** A short way is in grams. */
function quantityOf({ gramsPerKm, metres }: SimEmissions): object {
  const grams = Math.round((gramsPerKm * metres) / 1000);
  return grams < 1000 ? { value: grams, unit: 'g' } : { value: grams / 1000, unit: 'kg' };
}

/** Facilities are attributes; of a disruption there is a reference alone. */
function messagesOf(remarks: readonly SimRemark[]): object {
  const attributes = remarks
    .filter(({ kind }) => kind === 'info')
    .map(({ code, texts }) => ({ code, text: texts.join('. ') }));
  const situationFullRefs = remarks
    .filter(({ kind }) => kind === 'disruption')
    .map(({ code }) => `situation:${code}`);
  return {
    ...(attributes.length > 0 && { attributes }),
    ...(situationFullRefs.length > 0 && { situationFullRefs }),
  };
}

function platformNames({ planned, expected }: SimPlatform): object {
  return {
    plannedStopPointName: planned,
    ...(expected !== undefined && { estimatedStopPointName: expected }),
  };
}

const terms = { no: 'NO', fee: 'WITH_CONDITION', yes: 'YES' };

/** Returns whether a ticket is refunded and exchanged. */
export function afterSalesOf(fare: TrainFare): object {
  const { refund, exchange } = fareTermsOf(fare);
  return { refundable: terms[refund], exchangeable: terms[exchange] };
}

/** Returns the conditions of a product in words, of one that costs something to give back. */
export function conditionsOf(fare: TrainFare): object {
  if (fareTermsOf(fare).refund !== 'fee') return {};
  return {
    conditions: [
      { type: 'SALE', description: 'Sold online' },
      { type: 'REFUND', description: 'Refund before departure: 10 EUR' },
      { type: 'EXCHANGE', description: 'Exchange before departure: 5 EUR' },
    ],
  };
}
