import { expect, test } from 'vitest';
import { startCarrierSim } from '../../src/index.ts';
import { createGate } from '../../src/server/capacity.ts';
import { getAvlo } from '../call-wires.ts';
import { date, eventually, startedSim } from '../started-sim.ts';

const file = (url: string, signal?: AbortSignal) => getAvlo(url, date, signal ? { signal } : {});

test('a carrier serves as many calls at a time as its capacity, the others in turn', async () => {
  const latency = { kind: 'fixed', ms: 60 } as const;
  const plan = { avlo: { latency, capacity: { concurrent: 2, queue: 4 } } };
  const sim = await startedSim({ plan });
  const start = performance.now();
  const times = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const response = await file(sim.url);
      await response.text();
      return { status: response.status, ms: performance.now() - start };
    }),
  );
  expect(times.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const sorted = times.map(({ ms }) => ms).sort((a, b) => a - b);
  // Pairs, one after the other: the latency grows with the queue.
  expect(sorted[2]).toBeGreaterThan(115);
  expect(sorted[4]).toBeGreaterThan(175);
});

test('a full queue answers 503 at once, and a client that leaves it makes room', async () => {
  const sim = await startedSim({
    plan: { avlo: { fault: { kind: 'hang' }, capacity: { concurrent: 1, queue: 1 } } },
  });
  const served = new AbortController();
  const waits = new AbortController();
  const first = file(sim.url, served.signal);
  await eventually(() => expect(sim.requests().avlo.open).toBe(1));
  const second = file(sim.url, waits.signal);
  await eventually(() => expect(sim.requests().avlo.open).toBe(2));
  const refused = await file(sim.url);
  expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
    503,
    null,
    'Service Unavailable\n',
  ]);
  waits.abort();
  await expect(second).rejects.toThrow('aborted');
  await eventually(() => expect(sim.requests().avlo.open).toBe(1));
  // The plan is followed from the next call on; the hung one has met its fault.
  sim.setPlan('avlo', { fault: null });
  const third = file(sim.url);
  await eventually(() => expect(sim.requests().avlo.open).toBe(2));
  served.abort();
  await expect(first).rejects.toThrow('aborted');
  expect((await third).status).toBe(200);
  await eventually(() =>
    expect(sim.requests().avlo).toMatchObject({ arrived: 4, answered: 2, aborted: 2, open: 0 }),
  );
});

test('a wider capacity lets in requests that wait', async () => {
  const sim = await startedSim({
    plan: { avlo: { fault: { kind: 'hang', share: 1 }, capacity: { concurrent: 1, queue: 9 } } },
  });
  const client = new AbortController();
  const hung = file(sim.url, client.signal);
  await eventually(() => expect(sim.requests().avlo.open).toBe(1));
  sim.setPlan('avlo', { fault: null });
  const waiting = [file(sim.url), file(sim.url)];
  await eventually(() => expect(sim.requests().avlo.open).toBe(3));
  sim.setPlan('avlo', { capacity: null });
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  client.abort();
  await expect(hung).rejects.toThrow('aborted');
});

test('a capacity of 0 holds calls until the plan changes', async () => {
  const latency = { kind: 'fixed', ms: 0 } as const;
  const sim = await startedSim({
    plan: { avlo: { latency, capacity: { concurrent: 0, queue: 2 } } },
  });
  const held = [file(sim.url), file(sim.url)];
  await eventually(() => expect(sim.requests().avlo.open).toBe(2));
  expect((await file(sim.url)).status).toBe(503);
  expect(sim.requests().avlo).toMatchObject({ answered: 1, open: 2 });
  sim.setPlan('avlo', { capacity: null });
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
});

test('capacity holds for a carrier of your own, and PUT /plan changes it', async () => {
  await using sim = await startCarrierSim({ carriers: { night: () => ({ body: 'x' }) } });
  const put = await fetch(`${sim.url}/plan/night`, {
    method: 'PUT',
    body: '{"capacity":{"concurrent":1,"slowdown":0.5},"fault":{"kind":"hang"}}',
  });
  expect(await put.json()).toMatchObject({ capacity: { concurrent: 1, queue: 0, slowdown: 0.5 } });
  const hung = fetch(`${sim.url}/night`).catch(() => 'closed');
  await eventually(() => expect(sim.requests().night.open).toBe(1));
  expect((await fetch(`${sim.url}/night`)).status).toBe(503);
  sim.setPlan('night', { capacity: null, fault: null });
  expect((await fetch(`${sim.url}/night`)).status).toBe(200);
  await sim.close();
  expect(await hung).toBe('closed');
});

test('createGate() never lets in more than its capacity, in order of arrival, and loses no place', async () => {
  let capacity = { concurrent: 2, queue: 3, slowdown: 0 };
  const gate = createGate(() => capacity);
  const clients = Array.from({ length: 7 }, () => new AbortController());
  const order: number[] = [];
  const entered = clients.map((client, index) => {
    const turn = gate.enter(client.signal);
    return turn?.then(
      () => order.push(index),
      () => order.push(-index),
    );
  });
  expect(entered.map((turn) => turn !== undefined)).toEqual([
    ...[true, true, true, true, true],
    ...[false, false],
  ]);
  const settled = async () => {
    await Promise.resolve();
    await Promise.resolve();
    return [...order];
  };
  expect(await settled()).toEqual([0, 1]);
  clients[3]?.abort();
  // One client leaves, and the next, which is let in by that, leaves before it can begin.
  clients[0]?.abort();
  clients[2]?.abort();
  await Promise.all(entered);
  expect(order.toSorted((a, b) => a - b)).toEqual([-3, 0, 1, 2, 4]);
  const later = new AbortController();
  const waiting = gate.enter(later.signal)?.then(() => order.push(7));
  capacity = { concurrent: 3, queue: 3, slowdown: 0 };
  gate.admit();
  await waiting;
  expect(order.at(-1)).toBe(7);
});

test('createGate() slows calls down by those that wait as they begin, and by a capacity that changes', async () => {
  let capacity = { concurrent: 2, queue: 9, slowdown: 0.5 };
  const gate = createGate(() => capacity);
  const clients = Array.from({ length: 8 }, () => new AbortController());
  const factors = clients.map((client) => gate.enter(client.signal));
  const first = await Promise.all(factors.slice(0, 2));
  // Nobody waits yet.
  expect(first).toEqual([1, 1]);
  clients[0]?.abort();
  // Five wait behind the third.
  expect(await factors[2]).toBe(1 + 0.5 * (5 / 2));
  capacity = { concurrent: 2, queue: 9, slowdown: 2 };
  clients[1]?.abort();
  expect(await factors[3]).toBe(1 + 2 * (4 / 2));
  capacity = { concurrent: 4, queue: 9, slowdown: 0 };
  gate.admit();
  expect(await Promise.all(factors.slice(4, 6))).toEqual([1, 1]);
});

test('a carrier that slows down answers most with as many calls in flight as it serves at a time', async () => {
  const latency = { kind: 'fixed', ms: 20 } as const;
  const sim = await startedSim({ plan: { avlo: { latency } } });
  /** Milliseconds for 40 calls that all wait when the carrier begins to serve. */
  const msOf = async (slowdown: number): Promise<number> => {
    sim.setPlan('avlo', { capacity: { concurrent: 0, queue: 100 } });
    const calls = Array.from({ length: 40 }, () => file(sim.url));
    await eventually(() => expect(sim.requests().avlo.open).toBe(40));
    const start = performance.now();
    sim.setPlan('avlo', { capacity: { concurrent: 4, queue: 100, slowdown } });
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    return performance.now() - start;
  };
  // Four at a time, and with 36 waiting the first four take ten times as long. Timers end a moment early at most, and never sooner on a
  // slow machine.
  expect(await msOf(1)).toBeGreaterThan(0.9 * 20 * (10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1));
  expect(await msOf(0)).toBeGreaterThan(0.9 * 10 * 20);
});
