import { countStepsOfEach } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { bytesOf, createCarriers, failureOf, fixture, queryOf } from '../upstream.ts';

const { osdm } = createCarriers('http://127.0.0.1:1');
const query = queryOf('8500010', '8301700');
const { trips, offers } = JSON.parse(new TextDecoder().decode(fixture('osdm.json')));
const [direct] = trips;
const [, saver] = offers;

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const trip = (index: number) => ({ ...direct, id: `t${index}` });
const offer = (index: number, more: object = {}) => ({
  ...saver,
  offerId: `o${index}`,
  tripCoverage: { coveredTripId: `t${index}` },
  ...more,
});

/** What grows with `n`: whatever could be looked for once for each of its kind. */
const growths: Readonly<Record<string, (n: number) => object>> = {
  'trips with an offer each': (n) => ({ trips: times(n, trip), offers: times(n, (i) => offer(i)) }),
  'offers for one trip': (n) => ({
    trips: [trip(0)],
    offers: times(n, (i) => offer(i, { tripCoverage: { coveredTripId: 't0' } })),
  }),
  'offers of one id': (n) => ({
    trips: [trip(0)],
    offers: times(n, () => offer(0)),
  }),
  'offers for trips that are not there': (n) => ({
    trips: [trip(-1)],
    offers: times(n, (i) => offer(i)),
  }),
  'rides of one trip, each covered': (n) => {
    const [leg] = direct.legs;
    const legs = times(n, (i) => ({ ...leg, id: `l${i}` }));
    const coverage = { coveredTripId: 't0', coveredLegIds: legs.map(({ id }) => id) };
    // Trains that are out of order of time are left out: the second trip keeps the answer.
    return {
      trips: [{ ...trip(0), legs }, trip(1)],
      offers: [offer(0, { tripCoverage: coverage })],
    };
  },
  'parts of one offer': (n) => ({
    trips: [trip(0)],
    offers: [
      offer(0, {
        offerSummary: null,
        admissionOfferParts: times(n, () => saver.admissionOfferParts[0]),
      }),
    ],
  }),
  'stops of one train': (n) => {
    const [leg] = direct.legs;
    const { start, end } = leg.timedLeg;
    const stop = { ...start, ...end, plannedStopPointName: '1' };
    const timedLeg = { ...leg.timedLeg, intermediates: times(n, () => stop) };
    return { trips: [{ ...trip(0), legs: [{ ...leg, timedLeg }] }], offers: [] };
  },
  'attributes of one train': (n) => {
    const [leg] = direct.legs;
    const attributes = times(n, () => ({ text: 'Bistro' }));
    const timedLeg = { ...leg.timedLeg, attributes };
    return { trips: [{ ...trip(0), legs: [{ ...leg, timedLeg }] }], offers: [] };
  },
  'trains that people stay in, each with a remark': (n) => {
    const [leg] = direct.legs;
    const stay = { transferLeg: { transferMode: 'REMAIN_IN_VEHICLE' } };
    const legs = times(n, (i) => [
      {
        ...leg,
        id: `l${i}`,
        timedLeg: { ...leg.timedLeg, attributes: [{ text: `Coach ${i}` }] },
      },
      { id: `w${i}`, ...stay },
    ]).flat();
    // Their times overlap: they are left out after the first two.
    return { trips: [{ ...trip(0), legs }, trip(1)], offers: [] };
  },
  'products and conditions of one offer': (n) => ({
    trips: [trip(0)],
    offers: [
      offer(0, {
        products: times(n, (i) => ({
          id: `p${i}`,
          conditions: [{ type: 'REFUND', description: `Refund ${i}` }],
        })),
        admissionOfferParts: times(n, (i) => ({
          ...saver.admissionOfferParts[0],
          products: [{ productId: `p${i}` }],
        })),
      }),
    ],
  }),
  'offers for some travellers': (n) => ({
    trips: [trip(0)],
    offers: times(n, (i) =>
      offer(i, { passengerRefs: ['p1'], tripCoverage: { coveredTripId: 't0' } }),
    ),
  }),
  'numbers of one train': (n) => {
    const [leg] = direct.legs;
    const service = { ...leg.timedLeg.service, vehicleNumbers: times(n, String) };
    return {
      trips: [{ ...trip(0), legs: [{ ...leg, timedLeg: { ...leg.timedLeg, service } }] }],
      offers: [],
    };
  },
};

const ask = { atMs: 0, by: 'departure', direction: 'later' } as const;
const readerOf = (answer: object) => {
  const wire = {
    pages: [{ ask, offers: bytesOf(JSON.stringify(answer)) }],
    whole: true,
    receivedAt: 1,
  };
  return () => osdm.normalise(wire, { ...query, stops: true });
};
const isOurs = (url: string) => /packages\/(carriers|core)\/src\//.test(url);

test.each(Object.keys(growths))(
  '%s: twice as many take at most 2.3 times the steps',
  async (name) => {
    const make = growths[name] as (n: number) => object;
    readerOf(make(10))();
    const [small = 0, large = Number.POSITIVE_INFINITY] = await countStepsOfEach(
      [100, 200].map((n) => readerOf(make(n))),
      isOurs,
    );
    expect(small).toBeGreaterThan(100);
    expect(large / small).toBeLessThan(2.3);
  },
);

test('a text of a megabyte of tags is read in part', () => {
  for (const unit of ['<', '<a', '&#1', '<b></b>']) {
    const leg = structuredClone(direct.legs[0]);
    leg.timedLeg.attributes = [{ text: unit.repeat(1_000_000 / unit.length) }];
    const [journey] = readerOf({ trips: [{ ...direct, legs: [leg] }], offers: [] })().journeys;
    const texts = journey?.legs.flatMap((one) => (one.kind === 'ride' ? (one.remarks ?? []) : []));
    for (const { text } of texts ?? []) expect(text.length).toBeLessThanOrEqual(500);
  }
});

test('ids of 32 KiB are read, and texts of a megabyte refused', async () => {
  const id = 'x'.repeat(32_768);
  const long = {
    trips: [{ ...direct, id }],
    offers: [{ ...saver, offerId: id, tripCoverage: { coveredTripId: id } }],
  };
  expect(() => readerOf(long)()).not.toThrow();
  for (const unit of ['1', ':', ' ', '-', 'urn:']) {
    const text = unit.repeat(1_000_000 / unit.length);
    const leg = structuredClone(direct.legs[0]);
    leg.timedLeg.start.serviceDeparture.timetabledTime = text;
    const wrong = readerOf({ trips: [{ ...direct, legs: [leg] }], offers: [] });
    expect((await failureOf(wrong)).code).toBe('PROTOCOL');
    const away = structuredClone(direct.legs[0]);
    away.timedLeg.start.stopPlaceRef = text;
    const nowhere = readerOf({ trips: [{ ...direct, legs: [away] }], offers: [] });
    expect(nowhere()).toMatchObject({ journeys: [], filtered: 1 });
  }
});
