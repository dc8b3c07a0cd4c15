import { scaled } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createTimetable, encodeOuigo, encodeRenfe } from '../src/index.ts';
import { getAvlo, loginOuigo, searchOuigo, searchRenfe, visitRenfe } from './call-wires.ts';
import { date, eventually, madridBarcelona, startedSim } from './started-sim.ts';

const carriers = ['renfe', 'ouigo', 'avlo'] as const;
type Carrier = (typeof carriers)[number];
const renfe = { origin: '60000', destination: '71801', date };
const searchOf = (carrier: Carrier, url: string): Promise<Response> =>
  ({
    renfe: () => searchRenfe(url, renfe),
    ouigo: () => searchOuigo(url, madridBarcelona),
    avlo: () => getAvlo(url, date),
  })[carrier]();

const firstCall: Record<Carrier, string> = {
  renfe: '/renfe/vol/inicio.do',
  ouigo: '/ouigo/Token/login',
  avlo: `/avlo/timetable/${date}.json`,
};
const call = (carrier: Carrier, url: string, init: RequestInit = {}) =>
  fetch(`${url}${firstCall[carrier]}`, { method: carrier === 'ouigo' ? 'POST' : 'GET', ...init });

// A visit of Renfe has the most calls.
const struck = scaled<readonly Carrier[]>({ fast: ['renfe'], full: carriers });

test.each(struck)('hang keeps a call to %s open until the client leaves', async (carrier) => {
  const sim = await startedSim({ plan: { [carrier]: { fault: { kind: 'hang' } } } });
  const client = new AbortController();
  const answer = call(carrier, sim.url, { signal: client.signal });
  await eventually(() => expect(sim.requests()[carrier].open).toBe(1));
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await eventually(() => {
    expect(sim.requests()[carrier]).toMatchObject({
      arrived: 1,
      answered: 0,
      aborted: 1,
      open: 0,
      mostOpen: 1,
    });
  });
});

test.each(struck)('error answers 500 for %s', async (carrier) => {
  const sim = await startedSim({ plan: { [carrier]: { fault: { kind: 'error' } } } });
  const response = await call(carrier, sim.url);
  expect(response.status).toBe(500);
  expect(await response.text()).toBe('Internal Server Error\n');
});

test.each(struck)(
  'error-drip answers 500 at once for %s, and its body does not end',
  async (carrier) => {
    const sim = await startedSim({ plan: { [carrier]: { fault: { kind: 'error-drip' } } } });
    const response = await call(carrier, sim.url);
    expect(response.status).toBe(500);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10_000);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(1);
    await reader?.cancel();
    await eventually(() => expect(sim.requests()[carrier]).toMatchObject({ aborted: 1, open: 0 }));
  },
);

test.each(struck)('rate-limited answers 429 with Retry-After for %s', async (carrier) => {
  const fault = { kind: 'rate-limited', retryAfterSeconds: 7 } as const;
  const sim = await startedSim({ plan: { [carrier]: { fault } } });
  const response = await call(carrier, sim.url);
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('7');
});

test.each(struck)('truncated cuts the search answer of %s in the middle', async (carrier) => {
  const sim = await startedSim();
  const whole = Buffer.from(await (await searchOf(carrier, sim.url)).arrayBuffer());
  sim.setPlan(carrier, { fault: { kind: 'truncated' } });
  const response = await searchOf(carrier, sim.url);
  const cut = Buffer.from(await response.arrayBuffer());
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe(String(cut.length));
  expect(cut.equals(whole.subarray(0, Math.floor(whole.length / 2)))).toBe(true);
});

test.each(struck)('reset ends the connection of %s in the middle of its body', async (carrier) => {
  const sim = await startedSim();
  const whole = await (await searchOf(carrier, sim.url)).text();
  sim.setPlan(carrier, { fault: { kind: 'reset' } });
  const response = await searchOf(carrier, sim.url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)));
  await expect(response.text()).rejects.toThrow('terminated');
  await eventually(() => expect(sim.requests()[carrier]).toMatchObject({ aborted: 1, open: 0 }));
});

test.each(struck)('wrong-content-type sends the answer of %s as a page', async (carrier) => {
  const sim = await startedSim();
  const whole = await (await searchOf(carrier, sim.url)).text();
  sim.setPlan(carrier, { fault: { kind: 'wrong-content-type' } });
  const response = await searchOf(carrier, sim.url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await response.text()).toBe(whole);
});

test('drip sends the right head at once and then the body byte by byte', async () => {
  const sim = await startedSim({ plan: { avlo: { journeys: 0, fault: { kind: 'drip' } } } });
  const start = performance.now();
  const response = await getAvlo(sim.url, date);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe('2');
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const chunks: string[] = [];
  for await (const chunk of response.body ?? []) chunks.push(Buffer.from(chunk).toString());
  expect(chunks).toEqual(['[', ']']);
  expect(performance.now() - start).toBeGreaterThan(95);
});

test('drip stops when the client leaves', async () => {
  const sim = await startedSim({ plan: { avlo: { fault: { kind: 'drip' } } } });
  const response = await getAvlo(sim.url, date);
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await eventually(() => expect(sim.requests().avlo).toMatchObject({ aborted: 1, open: 0 }));
});

test('malformed-price makes one price of a search answer no price', async () => {
  const trains = createTimetable({ seed: 1 }).trains(madridBarcelona);
  const by = (carrier: Carrier) => trains.filter(({ sellers }) => sellers.includes(carrier));
  const sim = await startedSim();
  for (const carrier of carriers) sim.setPlan(carrier, { fault: { kind: 'malformed-price' } });
  const bodies = await Promise.all(
    carriers.map(async (carrier) => (await searchOf(carrier, sim.url)).text()),
  );
  expect(bodies[0]).toBe(
    encodeRenfe(by('renfe')).replace(/precioTarifa:"[^"]*"/, 'precioTarifa:"3x,35"'),
  );
  expect(bodies[1]).toBe(encodeOuigo(by('ouigo')).replace(/"price":[\d.]+/, '"price":"abc"'));
  expect(bodies[2]?.split('"price":"abc"')).toHaveLength(2);
});

test('throttled has its own form on each wire', async () => {
  const sim = await startedSim();
  for (const carrier of carriers) {
    sim.setPlan(carrier, { fault: { kind: 'throttled', retryAfterSeconds: 3 } });
  }
  const renfeAnswer = await searchOf('renfe', sim.url);
  expect(renfeAnswer.status).toBe(200);
  expect(await renfeAnswer.text()).toContain(
    'r.handleException("0","1",{javaClassName:"es.renfe.dwr.VentaException",cdgoError:"U014",message:"',
  );
  const ouigoAnswer = await searchOf('ouigo', sim.url);
  expect(ouigoAnswer.status).toBe(200);
  expect(await ouigoAnswer.json()).toMatchObject({
    outbound: null,
    error: { code: 'TOO_MANY_REQUESTS' },
  });
  const avloAnswer = await searchOf('avlo', sim.url);
  expect(avloAnswer.status).toBe(503);
  expect(avloAnswer.headers.get('retry-after')).toBe('3');
});

test.each(['truncated', 'reset', 'wrong-content-type', 'malformed-price', 'throttled'] as const)(
  '%s spares the calls before the search',
  async (kind) => {
    const sim = await startedSim({
      plan: { renfe: { fault: { kind } }, ouigo: { fault: { kind } } },
    });
    const visit = visitRenfe(sim.url);
    expect(await visit.generateId(await visit.open())).toMatch(/^[0-9a-f]{32}$/);
    const login = await loginOuigo(sim.url, { username: 'anna', password: 'secret' });
    expect(await login.json()).toMatchObject({ expirationDate: '2026-11-21T10:20:00.000Z' });
  },
);

test('share strikes some of the calls, the same ones for the same seed', async () => {
  const statuses = async () => {
    const plan = { avlo: { fault: { kind: 'error', share: 0.5 } } } as const;
    const sim = await startedSim({ seed: 'half', plan });
    const found: number[] = [];
    for (let index = 0; index < 40; index++) found.push((await getAvlo(sim.url, date)).status);
    return found;
  };
  const first = await statuses();
  expect(new Set(first)).toEqual(new Set([200, 500]));
  expect(await statuses()).toEqual(first);
});

test('share 0 strikes no call', async () => {
  const sim = await startedSim({ plan: { avlo: { fault: { kind: 'error', share: 0 } } } });
  expect((await getAvlo(sim.url, date)).status).toBe(200);
});
