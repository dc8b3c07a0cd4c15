// What the timetable of the second network says of times, changes and parts of trains, and what a journey says of them.
import type { Train, TrainRun, Walks } from '@ticketing/carrier-sim';
import type { Journey, RideLeg } from '@ticketing/core';
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
      .flatMap((leg) => (leg.kind === 'ride' ? [] : [leg.conflict === 'missed'])),
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

/** Walks at both ends, at one or at none. */
export const anyWalks: fc.Arbitrary<Walks | undefined> = fc.option(
  fc.record({ before: fc.integer({ min: 0, max: 20 }), after: fc.integer({ min: 0, max: 20 }) }),
  { nil: undefined },
);

/** Whether clocks show an hour twice about that day, whose times without an offset have two meanings. */
export function hasTwoMeanings(day: string): boolean {
  return /-10-(?:2[4-9]|3[01])$/.test(day);
}
