import { expect, test } from 'vitest';
import { localTimeAt } from '../src/timetable/local-clock.ts';
import { loginOuigo, searchOuigo, tokenOfOuigo } from './call-wires.ts';
import { date, madridBarcelona, startedSim } from './started-sim.ts';

async function errorOf(response: Response): Promise<unknown> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  expect(error.message).toMatch(/./);
  return error.code;
}

test('ouigo answers a search with every train that it runs', async () => {
  const sim = await startedSim();
  const response = await searchOuigo(sim.url, madridBarcelona);
  expect(response.status).toBe(200);
  const trains = sim.trains({ ...madridBarcelona, carrier: 'ouigo' });
  expect(trains).toHaveLength(8);
  expect(await response.json()).toMatchObject({
    outbound: trains.map((train) => ({
      segments: [{ service_name: train.number, service_date: date }],
      departure_station: {
        departure_timestamp: localTimeAt(train.departureMs, 'Europe/Madrid').timestamp,
        _u_i_c_station_code: '7160000',
        name: 'Madrid Puerta de Atocha-Almudena Grandes',
      },
      arrival_station: {
        arrival_timestamp: localTimeAt(train.arrivalMs, 'Europe/Madrid').timestamp,
        _u_i_c_station_code: '7171801',
        name: 'Barcelona Sants',
      },
      full: train.seatsLeft === 0,
      remaining_seats: train.seatsLeft > 0 && train.seatsLeft < 10 ? train.seatsLeft : null,
      price: train.fares[0] ? train.fares[0].cents / 100 : null,
    })),
    error: null,
  });
});

test('ouigo writes the price of the whole party', async () => {
  const sim = await startedSim();
  const token = await tokenOfOuigo(sim.url);
  const prices = async (people: number): Promise<number[]> => {
    const passengers = Array.from({ length: people }, () => ({ type: 'A' }));
    const { origin, destination } = madridBarcelona;
    const response = await fetch(`${sim.url}/ouigo/Sale/journeysearch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ origin, destination, outbound_date: date, passengers }),
    });
    const { outbound } = (await response.json()) as { outbound: { price: number | null }[] };
    return outbound.map(({ price }) => Math.round((price ?? 0) * 100));
  };
  const single = await prices(1);
  expect(await prices(3)).toEqual(single.map((cents) => cents * 3));
  expect(await prices(12)).toEqual(single.map((cents) => cents * 12));
});

test('ouigo knows stations by UIC code and by city code', async () => {
  const sim = await startedSim();
  const byCity = await searchOuigo(sim.url, { origin: 'MAD', destination: 'BCN', date });
  const byUic = await searchOuigo(sim.url, madridBarcelona);
  expect(await byCity.text()).toBe(await byUic.text());
});

test('ouigo marks a train without seats full, without a price', async () => {
  const sim = await startedSim({ plan: { ouigo: { journeys: 200 } } });
  for (let day = 1; day < 20; day++) {
    const search = { ...madridBarcelona, date: `2026-12-${String(day).padStart(2, '0')}` };
    const text = await (await searchOuigo(sim.url, search)).text();
    if (text.includes('"full":true,"remaining_seats":null,"price":null,')) return;
  }
  expect.unreachable('no train sold out');
});

test('ouigo answers 200 with an error for no route and no sale', async () => {
  const sim = await startedSim({ plan: { ouigo: { journeys: 0 } } });
  const code = async (change: object) =>
    errorOf(await searchOuigo(sim.url, { ...madridBarcelona, ...change }));
  expect(await code({ destination: '7179300' })).toBe('NO_ROUTE');
  expect(await code({ destination: 'XXX' })).toBe('NO_ROUTE');
  expect(await code({ destination: 'constructor' })).toBe('NO_ROUTE');
  expect(await code({ date: '2026-11-20' })).toBe('DATE_NOT_ON_SALE');
  expect(await code({ date: '2027-05-21' })).toBe('DATE_NOT_ON_SALE');
  const none = await searchOuigo(sim.url, madridBarcelona);
  expect(await none.text()).toBe(
    '{"outbound":[],"blocs_cms_outbound":["NO_RESULTS"],"error":null}',
  );
});

test('ouigo refuses a login without a name or a password', async () => {
  const sim = await startedSim();
  for (const login of [{}, null, { username: 'anna', password: '' }, { username: 1 }]) {
    const response = await loginOuigo(sim.url, login);
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toBe('INVALID_CREDENTIALS');
  }
});

test('ouigo accepts only the configured credentials when there are some', async () => {
  const credentials = { username: 'anna', password: 'right' };
  const sim = await startedSim({ credentials });
  expect((await loginOuigo(sim.url, credentials)).status).toBe(200);
  expect((await loginOuigo(sim.url, { ...credentials, password: 'wrong' })).status).toBe(401);
});

test('ouigo takes a token for twenty minutes and no other', async () => {
  let now = Date.parse('2026-11-21T10:00:00Z');
  const sim = await startedSim({ now: () => now });
  const token = await tokenOfOuigo(sim.url);
  now += 1_199_999;
  expect((await searchOuigo(sim.url, { ...madridBarcelona, token })).status).toBe(200);
  now += 1;
  expect((await searchOuigo(sim.url, { ...madridBarcelona, token })).status).toBe(401);
  expect((await searchOuigo(sim.url, { ...madridBarcelona, token: 'other' })).status).toBe(401);
  const bare = await fetch(`${sim.url}/ouigo/Sale/journeysearch`, { method: 'POST' });
  expect(bare.status).toBe(401);
});

test('ouigo answers 400 to a body that is no search', async () => {
  const sim = await startedSim();
  const token = await tokenOfOuigo(sim.url);
  const good = { ...madridBarcelona, outbound_date: date, passengers: [{ type: 'A' }] };
  for (const body of [
    '{',
    '[]',
    JSON.stringify({ ...good, origin: 1 }),
    JSON.stringify({ ...good, outbound_date: '01/12/2026' }),
    JSON.stringify({ ...good, passengers: [] }),
  ]) {
    const response = await fetch(`${sim.url}/ouigo/Sale/journeysearch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body,
    });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toBe('BAD_REQUEST');
  }
});

test('ouigo: moved leads to a page for people, unknown-error is a code that no list has', async () => {
  const sim = await startedSim();
  const token = await tokenOfOuigo(sim.url);
  const post = () =>
    fetch(`${sim.url}/ouigo/Sale/journeysearch`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        origin: '7160000',
        destination: '7171801',
        outbound_date: date,
        passengers: [{ type: 'A' }],
      }),
    });
  sim.setPlan('ouigo', { fault: { kind: 'moved' } });
  const moved = await post();
  expect([moved.status, moved.headers.get('location')]).toEqual([302, 'https://wait.example/']);
  sim.setPlan('ouigo', { fault: { kind: 'unknown-error' } });
  expect(await errorOf(await post())).toBe('S3_FAILURE');
});
