import { datesBetween, localDay, localTimeAt } from '../../timetable/local-clock.ts';
import { stationOf } from '../../timetable/network.ts';
import type { TrainFare } from '../../timetable/train.ts';
import { type Answer, jsonAnswer, type WireContext } from '../wire.ts';
import { classOf, flexibilities } from './osdm-offers.ts';
import type { OsdmOverviewRequest, OsdmProblem } from './osdm-request.ts';

/** Returns the least price of each day, class and flexibility, for all passengers. A day without a price is not in it. */
export function overviewOf(
  context: WireContext,
  { origin, destination, passengers, startMs, endMs }: OsdmOverviewRequest,
): Answer | OsdmProblem {
  const { zone } = stationOf(origin);
  const place = (uic: string): object => ({
    objectType: 'StopPlaceRef',
    stopPlaceRef: `urn:uic:stn:${uic}`,
  });
  const ref = { origin: place(origin), destination: place(destination) };
  const [first, last] = [localTimeAt(startMs, zone).date, localTimeAt(endMs, zone).date];
  const overviews: object[] = [];
  for (const date of datesBetween(first, last)) {
    const finding = context.find({ origin, destination, date });
    if (finding.kind === 'not-served') {
      const pointers = ['#/routeSpecification/destination'];
      return {
        status: 404,
        code: 'PLACE_NOT_SERVED',
        title: 'The provider does not go there',
        pointers,
      };
    }
    if (finding.kind !== 'trains') continue;
    const least = new Map<string, TrainFare>();
    for (const fare of finding.trains.flatMap(({ fares }) => fares)) {
      if (fare.seller !== context.carrier) continue;
      const kind = `${fare.travelClass} ${fare.flexibility} ${fare.currency}`;
      if (fare.cents < (least.get(kind)?.cents ?? Number.POSITIVE_INFINITY)) least.set(kind, fare);
    }
    for (const fare of least.values()) {
      const { cents, currency = 'EUR', flexibility = 'none' } = fare;
      overviews.push({
        price: { currency, amount: cents * passengers.length, scale: 2 },
        travelClass: classOf(fare),
        flexibility: flexibilities[flexibility],
        startDateTime: localTimeAt(localDay(date, zone).msAt(0) ?? startMs, zone).timestamp,
        routeSpecification: ref,
      });
    }
  }
  return jsonAnswer({ offerOverviews: overviews });
}
