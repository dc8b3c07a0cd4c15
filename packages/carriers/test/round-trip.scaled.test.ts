import {
  createTimetable,
  describeRun,
  encodeAvlo,
  encodeOuigo,
  encodeRenfe,
  fareTermsOf,
  type Train,
  type TrainRun,
} from '@ticketing/carrier-sim';
import type { CarrierAnswer, Journey } from '@ticketing/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from './scale.ts';
import { anyDate, anyPeople, pairsWith } from './timetable-cases.ts';
import { bytesOf, createCarriers, queryOf } from './upstream.ts';

const { renfe, ouigo, avlo } = createCarriers('http://127.0.0.1:1');
const receivedAt = 1;

// Those with trains of the timetable, one pair with a change, come as often as all others together.
const pair = fc.oneof(
  fc.constantFrom<[string, string]>(
    ['7160000', '7171801'],
    ['7171801', '7151003'],
    ['7117000', '7103216'],
  ),
  pairsWith('renfe'),
);
const seed = fc.integer();

/** What a carrier's answer says, in the words of the timetable. */
function asTold({ journeys }: CarrierAnswer): unknown[] {
  return journeys.map(toldBy);
}

function toldBy(journey: Journey): unknown {
  return {
    departureMs: journey.departure.ms,
    arrivalMs: journey.arrival.ms,
    rides: journey.legs
      .filter((leg) => leg.kind === 'ride')
      .map((ride) => [
        ride.number,
        ride.brand,
        ride.origin,
        ride.destination,
        ride.departure.ms,
        ride.arrival.ms,
        ride.remarks?.map(({ kind, code, text }) => [kind, code, text]),
      ]),
    offers: journey.offers
      .map(({ total, travelClass, flexibility, conditions: { refund, exchange } = {} }) =>
        [total.amount, total.currency, travelClass, flexibility, refund, exchange].join(' '),
      )
      .sort(),
  };
}

function asTrue(trains: readonly Train[], seller: string, people: number): unknown[] {
  const numbered = seller !== 'avlo';
  // Of wires that do not say it in words.
  const unsaid = seller === 'ouigo' ? 'unknown' : 'none';
  const isTold = seller === 'renfe';
  return trains.map((train) => ({
    departureMs: train.departureMs,
    arrivalMs: train.arrivalMs,
    rides: (train.connection ?? [train]).map((run) => [
      numbered ? run.number.replace(/^0+/, '') : undefined,
      run.brand,
      `uic:${run.origin}`,
      `uic:${run.destination}`,
      run.departureMs,
      run.arrivalMs,
      isTold ? noticesOf(run) : undefined,
    ]),
    offers: train.fares
      .filter((fare) => fare.seller === seller)
      .map((fare) => {
        const { cents, travelClass = 'second', flexibility = unsaid } = fare;
        const { refund = undefined, exchange = undefined } = isTold ? fareTermsOf(fare) : {};
        return [cents * people, 'EUR', travelClass, flexibility, refund, exchange].join(' ');
      })
      .sort(),
  }));
}

function noticesOf(run: TrainRun): unknown {
  // No code of the wire is known to be of a disruption.
  return describeRun(run).remarks.map(({ code, texts }) => ['info', code, texts.join('. ')]);
}

test('renfe: decode(encode(timetable)) is the timetable', () => {
  fc.assert(
    fc.property(pair, anyDate, seed, anyPeople, ([origin, destination], day, number, people) => {
      const trains = createTimetable({ seed: number }).trains({
        carrier: 'renfe',
        origin,
        destination,
        date: day,
      });
      const body = bytesOf(encodeRenfe(trains));
      const answer = renfe.normalise(
        { body, receivedAt },
        queryOf(origin, destination, day, people),
      );
      expect(asTold(answer)).toEqual(asTrue(trains, 'renfe', people));
    }),
    { numRuns: runs(400) },
  );
});

test('ouigo: decode(encode(timetable)) is the timetable', () => {
  fc.assert(
    fc.property(pair, anyDate, seed, anyPeople, ([origin, destination], day, number, people) => {
      const trains = createTimetable({ seed: number }).trains({
        carrier: 'ouigo',
        origin,
        destination,
        date: day,
      });
      const body = bytesOf(encodeOuigo(trains, people));
      const answer = ouigo.normalise(
        { body, receivedAt },
        queryOf(origin, destination, day, people),
      );
      expect(asTold(answer)).toEqual(asTrue(trains, 'ouigo', people));
    }),
    { numRuns: runs(400) },
  );
});

test('avlo: decode(encode(timetable)) is the timetable, whatever else the document holds', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(pairsWith('avlo'), { minLength: 1, maxLength: 4, selector: String }),
      anyDate,
      seed,
      anyPeople,
      (pairs, day, number, people) => {
        const timetable = createTimetable({ seed: number });
        const listed = pairs.map(([origin, destination]) =>
          timetable.trains({ carrier: 'avlo', origin, destination, date: day }),
        );
        const days = [bytesOf('[]'), bytesOf(encodeAvlo(listed.flat()))];
        pairs.forEach(([origin, destination], index) => {
          const trains = listed[index] ?? [];
          if (trains.length === 0) return;
          const answer = avlo.normalise(
            { days, receivedAt },
            queryOf(origin, destination, day, people),
          );
          expect(asTold(answer)).toEqual(asTrue(trains, 'avlo', people));
        });
      },
    ),
    { numRuns: runs(400) },
  );
});
