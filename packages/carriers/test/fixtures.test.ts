import { expect, test } from 'vitest';
import { createCarriers, failureOf, fixture, queryOf } from './upstream.ts';

const { renfe, ouigo, avlo } = createCarriers('http://127.0.0.1:1');
const receivedAt = Date.UTC(2026, 10, 20);
const at = (local: string) => `${local}:00+01:00[Europe/Madrid]`;

test('renfe reads comma prices, local times, arrivals after midnight, and a change of trains', () => {
  const { journeys } = renfe.normalise({ body: fixture('renfe'), receivedAt }, queryOf());
  const [direct, night, connection] = journeys;
  expect(direct).toMatchObject({
    departure: { ms: Date.UTC(2026, 11, 1, 5, 15), iso: at('2026-12-01T06:15') },
    arrival: { iso: at('2026-12-01T08:45') },
    durationMinutes: 150,
    transfers: 0,
    sources: ['renfe'],
    legs: [
      {
        brand: 'AVE',
        number: '3063',
        operator: 'renfe',
        operatingDay: '2026-12-01',
        remarks: [{ kind: 'info', text: 'Bicicletas en el coche 3.', code: 'BICI' }],
      },
    ],
    remarks: [{ kind: 'info', text: 'Plazas limitadas' }],
    offers: [
      {
        id: 'N2010',
        seller: 'renfe',
        fareName: 'Elige',
        total: { amount: 3735, currency: 'EUR' },
        travelClass: 'second',
        flexibility: 'semi',
        conditions: {
          refund: 'fee',
          exchange: 'yes',
          text: 'Un cambio gratuito; Reembolsable 60%',
        },
        fetchedAt: receivedAt,
      },
      { id: 'N4010', total: { amount: 107_120 }, travelClass: 'first', flexibility: 'full' },
    ],
  });
  expect(night).toMatchObject({ arrival: { iso: at('2026-12-02T00:55') }, offers: [] });
  expect(connection).toMatchObject({
    transfers: 1,
    durationMinutes: 250,
    legs: [
      { kind: 'ride', number: '3081', brand: 'AVE', destination: 'uic:7104040' },
      { kind: 'transfer', origin: 'uic:7104040', destination: 'uic:7104040', minutes: 40 },
      { kind: 'ride', number: '622', brand: 'ALVIA', origin: 'uic:7104040' },
    ],
    offers: [{ id: 'ZZ99', travelClass: 'any', flexibility: 'unknown', total: { amount: 6000 } }],
  });
});

test('renfe: a price is for one person, and is multiplied', () => {
  const query = queryOf('7160000', '7171801', '2026-12-01', 3);
  const { journeys } = renfe.normalise({ body: fixture('renfe'), receivedAt }, query);
  expect(journeys[0]?.offers[0]?.total).toEqual({ amount: 3 * 3735, currency: 'EUR' });
});

test('renfe reads a handled exception as the error that it is', async () => {
  const wire = { body: fixture('renfe-throttled'), receivedAt };
  const error = await failureOf(() => renfe.normalise(wire, queryOf()));
  expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
});

test('ouigo reads float prices, offsets and trains that are full', () => {
  const { journeys } = ouigo.normalise({ body: fixture('ouigo.json'), receivedAt }, queryOf());
  expect(journeys).toMatchObject([
    {
      departure: { iso: at('2026-12-01T06:35') },
      arrival: { iso: at('2026-12-01T09:05') },
      legs: [{ brand: 'OUIGO', number: '6611', operator: 'ouigo', origin: 'uic:7160000' }],
      offers: [{ seller: 'ouigo', total: { amount: 1900, currency: 'EUR' } }],
    },
    { arrival: { iso: at('2026-12-02T00:20') }, offers: [] },
  ]);
});

test.each([
  ['NO_ROUTE', 'NOT_SERVED'],
  ['DATE_NOT_ON_SALE', 'DATE_OUT_OF_RANGE'],
  ['TOO_MANY_REQUESTS', 'RATE_LIMITED'],
  ['BAD_REQUEST', 'BAD_REQUEST'],
  ['SOMETHING_NEW', 'UPSTREAM'],
])('ouigo reads the error %s inside a status 200 as %s', async (code, expected) => {
  const body = new TextEncoder().encode(JSON.stringify({ outbound: null, error: { code } }));
  const error = await failureOf(() => ouigo.normalise({ body, receivedAt }, queryOf()));
  expect(error.code).toBe(expected);
});

test('avlo picks the rows of the stations and of the local day, and derives the arrival', () => {
  const wire = { days: [fixture('avlo.json')], receivedAt };
  const { journeys } = avlo.normalise(wire, queryOf());
  expect(journeys).toMatchObject([
    {
      departure: { iso: at('2026-12-01T06:30') },
      arrival: { iso: at('2026-12-01T09:10') },
      durationMinutes: 160,
      legs: [{ brand: 'AVLO', operator: 'renfe' }],
      offers: [{ seller: 'avlo', total: { amount: 2500, currency: 'EUR' } }],
    },
    { departure: { iso: at('2026-12-01T17:20') }, offers: [] },
  ]);
  expect(journeys[0]?.legs[0]).not.toHaveProperty('number');
});

test('avlo finds a train that leaves after local midnight in the window of the UTC day before', () => {
  const wire = { days: [fixture('avlo.json')], receivedAt };
  const { journeys } = avlo.normalise(wire, queryOf('7160000', '7171801', '2026-12-02'));
  expect(journeys.map(({ departure }) => departure.iso)).toEqual([at('2026-12-02T00:30')]);
});
