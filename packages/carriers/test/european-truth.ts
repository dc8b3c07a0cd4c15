// What the timetable of the second network says of times, changes and parts of trains, and what a journey says of them.
import {
  describeJourney,
  describeRun,
  type SimRemark,
  type SimStop,
  type Train,
  type TrainRun,
  type Walks,
} from '@ticketing/carrier-sim';
import type { Journey, Remark, RideLeg } from '@ticketing/core';
import fc from 'fast-check';

/** What every one of these wires says of a journey beside its trains. */
interface Told {
  readonly durationMinutes: number;
  readonly transfers: number;
  /** Minutes of ways before the first train and after the last one. */
  readonly walks: readonly [before: number, after: number];
  /** Whether each train is missed as things are expected, but for the first. */
  readonly missed: readonly boolean[];
  /** The parts of each train that goes on under another number. */
  readonly sections: readonly (readonly unknown[] | undefined)[];
}

export function timesTold({ legs, durationMinutes, transfers }: Journey): Told {
  const places = legs.flatMap((leg, index) => (leg.kind === 'ride' ? [index] : []));
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const minutesOf = (some: Journey['legs']): number =>
    some.reduce((sum, leg) => sum + (leg.kind === 'ride' ? 0 : leg.minutes), 0);
  return {
    durationMinutes,
    transfers,
    walks: [minutesOf(legs.slice(0, first)), minutesOf(legs.slice(last + 1))],
    missed: legs
      .slice(first, last)
      .flatMap((leg) => (leg.kind === 'ride' ? [] : [leg.risk === 'missed'])),
    sections: legs
      .filter((leg) => leg.kind === 'ride')
      .map(({ sections }: RideLeg) =>
        sections?.map(({ number, origin, destination, departure, arrival }) => [
          number,
          origin,
          destination,
          departure.ms,
          arrival.ms,
        ]),
      ),
  };
}

export function timesTrue(train: Train, walks: Walks = { before: 0, after: 0 }): Told {
  const runs = train.connection ?? [train];
  const [first, last] = [runs[0], runs.at(-1) ?? runs[0]];
  const lateMs = ({ delayMinutes = 0 }: TrainRun): number => delayMinutes * 60_000;
  const rideMs = last.arrivalMs + lateMs(last) - first.departureMs - lateMs(first);
  return {
    durationMinutes: rideMs / 60_000 + walks.before + walks.after,
    transfers: runs.length - 1,
    walks: [walks.before, walks.after],
    missed: runs
      .slice(1)
      .map((run) => run.departureMs + lateMs(run) < first.arrivalMs + lateMs(first)),
    sections: runs.map(({ sections }) =>
      sections?.map(({ number, origin, destination, departureMs, arrivalMs }) => [
        number,
        `uic:${origin}`,
        `uic:${destination}`,
        departureMs,
        arrivalMs,
      ]),
    ),
  };
}

/** Returns what a journey says beside its times: platforms, remarks, coupled trains, and stops on the way. */
export function detailsTold({ legs, remarks }: Journey): unknown {
  return {
    remarks,
    rides: legs
      .filter((leg) => leg.kind === 'ride')
      .map(
        ({ departurePlatform, arrivalPlatform, remarks: own, otherNumbers, stops, co2Grams }) => ({
          co2Grams,
          departurePlatform,
          arrivalPlatform,
          remarks: own,
          otherNumbers,
          stops: stops?.map(
            ({ arrival, departure, expectedArrival, expectedDeparture, ...stop }) => ({
              ...stop,
              times: [arrival?.ms, departure?.ms],
              expected: [expectedArrival?.ms, expectedDeparture?.ms],
            }),
          ),
        }),
      ),
  };
}

/** How a wire tells the timetable's details. */
interface Telling {
  /** Whether stops on the way were asked for. */
  readonly stops: boolean;
  /** Of remarks, where the wire says so. */
  readonly language?: string;
  /** Whether the wire has emissions for one passenger. Default false. */
  readonly emissions?: boolean;
}

interface DetailsTrue {
  readonly remarks: readonly Remark[] | undefined;
  readonly rides: readonly RideTrue[];
}

interface RideTrue {
  readonly remarks: readonly Remark[];
  readonly [detail: string]: unknown;
}

/** Returns what the timetable says beside times. */
export function detailsTrue(train: Train, telling: Telling): DetailsTrue {
  const remarks = describeJourney(train).map((remark) => remarkTrue(remark, telling));
  return {
    remarks: remarks.length > 0 ? remarks : undefined,
    rides: (train.connection ?? [train]).map((run) => rideTrue(run, telling)),
  };
}

function rideTrue(run: TrainRun, telling: Telling): RideTrue {
  const { sections, ...whole } = run;
  const parts = sections?.map((section): TrainRun => ({ ...whole, ...section })) ?? [run];
  const details = parts.map(describeRun);
  const [first, last] = [details[0], details.at(-1)];
  const remarks = details.flatMap((each) => each.remarks);
  const ofKind = (kind: Remark['kind']): readonly Remark[] => {
    const found = remarks.filter((remark) => remark.kind === kind);
    return [...new Map(found.map((one) => [one.code, remarkTrue(one, telling)])).values()];
  };
  const lateMs = run.delayMinutes === undefined ? undefined : run.delayMinutes * 60_000;
  const expected = (ms: number): number | undefined =>
    lateMs === undefined ? undefined : ms + lateMs;
  const stops = details.flatMap((each, index): readonly SimStop[] => {
    const [part, next] = [parts[index], parts[index + 1]];
    const platform = details[index + 1]?.departurePlatform;
    if (part === undefined || next === undefined || platform === undefined) return each.stops;
    const { destination: station, arrivalMs } = part;
    return [...each.stops, { station, arrivalMs, departureMs: next.departureMs, platform }];
  });
  const grams = details.map(({ emissions: own }) =>
    own ? Math.round((own.gramsPerKm * own.metres) / 1000) : Number.NaN,
  );
  const sum = grams.reduce((all, own) => all + own);
  return {
    co2Grams: telling.emissions && !Number.isNaN(sum) ? sum : undefined,
    departurePlatform: first?.departurePlatform,
    arrivalPlatform: last?.arrivalPlatform,
    remarks: [...ofKind('disruption'), ...ofKind('info')],
    otherNumbers: first && first.coupled.length > 0 ? first.coupled : undefined,
    stops: telling.stops
      ? stops.map(({ station, arrivalMs, departureMs, platform }) => ({
          station: `uic:${station}`,
          platform,
          ...(run.cancelled && { cancelled: true }),
          times: [arrivalMs, departureMs],
          expected: [expected(arrivalMs), expected(departureMs)],
        }))
      : undefined,
  };
}

function remarkTrue({ kind, code, texts }: SimRemark, { language }: Telling): Remark {
  return { kind, text: texts.join('. '), code, ...(language !== undefined && { language }) };
}

/** Walks at both ends, at one or at none. */
export const anyWalks: fc.Arbitrary<Walks | undefined> = fc.option(
  fc.record({ before: fc.integer({ min: 0, max: 20 }), after: fc.integer({ min: 0, max: 20 }) }),
  { nil: undefined },
);

/** Whether clocks show an hour twice about that day, whose times without an offset have two meanings. */
export function hasTwoMeanings(day: string): boolean {
  return /-10-(?:2[4-9]|3[01])$/.test(day);
}
