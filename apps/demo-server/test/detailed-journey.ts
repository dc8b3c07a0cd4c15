import { createJourney, createLocalClock, type Journey, type RideLeg } from '@ticketing/core';

const clock = createLocalClock();
const at = (time: string) => clock.fromLocal(`2026-12-01T${time}`, 'Europe/Madrid');

/** Who travels in {@link detailedJourney}: two adults, and a child. */
export const PARTY = [{}, { age: 40 }, { age: 8 }];

const ride: RideLeg = {
  kind: 'ride',
  origin: 'uic:7160000',
  destination: 'uic:7104040',
  departure: at('08:00'),
  arrival: at('09:20'),
  expectedDeparture: at('08:02'),
  expectedArrival: at('09:31'),
  brand: 'AVE',
  number: '3063',
  otherNumbers: ['3064'],
  operator: '11',
  operatingDay: '2026-12-01',
  departurePlatform: { planned: '5', expected: '7' },
  arrivalPlatform: { planned: '2' },
  remarks: [
    { kind: 'disruption', text: '<script>alert(1)</script> & late', code: 'HIM', language: 'en' },
    { kind: 'info', text: 'No bicycles' },
  ],
  stops: [
    {
      station: 'uic:7104007',
      arrival: at('08:28'),
      departure: at('08:30'),
      expectedArrival: at('08:33'),
      expectedDeparture: at('08:35'),
      platform: { planned: '1', expected: '3' },
    },
    { station: 'uic:7104104', arrival: at('09:00'), cancelled: true },
  ],
};
const bus: RideLeg = {
  kind: 'ride',
  origin: 'uic:7104040',
  destination: 'uic:7171801',
  departure: at('09:40'),
  arrival: at('11:40'),
  mode: 'bus',
  brand: 'Bus',
  number: '12',
  operator: 'unnamed',
  booking: { until: at('07:00'), text: 'Call <b>0800</b>' },
};
const { kind: _, ...section } = bus;

/** A journey with everything that carriers may say. */
export const detailedJourney: Journey = createJourney({
  source: 'renfe',
  legs: [
    { kind: 'transfer', origin: 'a:house', destination: 'uic:7160000', minutes: 7 },
    ride,
    { kind: 'transfer', origin: 'uic:7104040', destination: 'uic:7104040', minutes: 15 },
    {
      ...bus,
      sections: [
        { ...section, destination: 'uic:7178400', arrival: at('10:30') },
        { ...section, origin: 'uic:7178400', departure: at('10:35'), number: '13' },
      ],
    },
    { kind: 'transfer', origin: 'uic:7171801', destination: 'a:office', minutes: 12 },
  ],
  offers: [
    {
      id: 'adults',
      seller: 'renfe',
      total: { amount: 6000, currency: 'EUR' },
      travelClass: 'second',
      fareName: 'Flex',
      flexibility: 'semi',
      seatsLeft: 4,
      passengers: [0, 1],
      conditions: { refund: 'fee', exchange: 'yes', text: 'Until <i>departure</i>' },
      validUntil: 1,
      fetchedAt: 0,
    },
    {
      id: 'child',
      seller: 'renfe',
      total: { amount: 1500, currency: 'EUR' },
      travelClass: 'second',
      flexibility: 'none',
      passengers: [2],
      conditions: { refund: 'no', exchange: 'unknown' },
      fetchedAt: 0,
    },
  ],
  remarks: [{ kind: 'info', text: 'Two tickets' }],
});
