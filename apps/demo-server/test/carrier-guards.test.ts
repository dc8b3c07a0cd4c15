import {
  type Carrier,
  type CarrierAnswer,
  CarrierError,
  type CarrierQuery,
  type RunCarrier,
  type RunContext,
} from '@ticketing/core';
import { until } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import { createCarriers } from '../src/carriers/carriers.ts';
import { composedSearch } from '../src/carriers/composed-search.ts';
import { createCarrierGuards } from '../src/guard/carrier-guards.ts';

const carrier = { id: 'renfe' } as Carrier;
const query = {} as CarrierQuery;
const none: CarrierAnswer = { journeys: [] };
const settings = { rates: {}, hedged: [] };

/** Guards by a clock that stands still. */
function guardsAt(clock: { ms: number }) {
  return createCarrierGuards({ settings, now: () => clock.ms });
}

function contextOf(clock: { ms: number }, note: RunContext['note'] = () => {}): RunContext {
  const { signal } = new AbortController();
  return { signal, deadline: clock.ms + 2000, http: { send: () => Promise.reject() }, note };
}

const failing: RunCarrier = async () => {
  throw new CarrierError('PROTOCOL', 'x');
};

/** Lets a carrier fail until its circuit is open. */
async function opened(guards: ReturnType<typeof guardsAt>, clock: { ms: number }): Promise<void> {
  for (let call = 0; call < 10; call++) {
    const asked = guards.around(failing)(carrier, query, contextOf(clock));
    await expect(asked).rejects.toMatchObject({ code: 'PROTOCOL' });
  }
  expect(guards.stats()['renfe']?.circuit).toBe('open');
}

test('a circuit that is open refuses without asking, and each carrier has its own', async () => {
  const clock = { ms: 1e12 };
  const guards = guardsAt(clock);
  await opened(guards, clock);
  let asked = 0;
  const run = guards.around(async () => {
    asked += 1;
    return none;
  });
  const refused = await run(carrier, query, contextOf(clock)).catch((error) => error);
  expect(CarrierError.from(refused)).toMatchObject({ code: 'CIRCUIT_OPEN', retryable: true });
  expect(CarrierError.from(refused).retryAfterMs).toBeGreaterThan(3000);
  await run({ id: 'avlo' } as Carrier, query, contextOf(clock));
  expect(asked).toBe(1);
  await guards.close();
});

test('a search of several pairs of stations asks them one after the other while the circuit is half open, and closes it', async () => {
  const clock = { ms: 1e12 };
  const guards = guardsAt(clock);
  await opened(guards, clock);
  clock.ms += 6001;
  let [open, most] = [0, 0];
  const run = guards.around(async () => {
    open += 1;
    most = Math.max(most, open);
    await Promise.resolve();
    open -= 1;
    return none;
  });
  const context = contextOf(clock);
  const pairs = [1, 2, 3, 4].map(() => run(carrier, query, { ...context }));
  await expect(Promise.all(pairs)).resolves.toHaveLength(4);
  expect(most).toBe(1);
  expect(guards.stats()['renfe']?.circuit).toBe('closed');
  await guards.close();
});

test('while the circuit is half open, another search is refused at once', async () => {
  const clock = { ms: 1e12 };
  const guards = guardsAt(clock);
  await opened(guards, clock);
  clock.ms += 6001;
  let answer = (_: CarrierAnswer): void => {};
  const run = guards.around(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const first = run(
    carrier,
    query,
    contextOf(clock, () => {}),
  );
  await expect(
    run(
      carrier,
      query,
      contextOf(clock, () => {}),
    ),
  ).rejects.toMatchObject({
    code: 'ERR_CIRCUIT_OPEN',
  });
  answer(none);
  await first;
  await guards.close();
});

test('an answer that ends early counts as the failure that ended it, and its journeys are kept', async () => {
  const clock = { ms: 1e12 };
  const guards = guardsAt(clock);
  const failure = { code: 'RATE_LIMITED', message: 'x', retryAfterMs: 5000 } as const;
  let asked = 0;
  const run = guards.around(async () => {
    asked += 1;
    return { journeys: [], failure };
  });
  await expect(run(carrier, query, contextOf(clock))).resolves.toMatchObject({ failure });
  await expect(run(carrier, query, contextOf(clock))).rejects.toMatchObject({
    code: 'ERR_RATE_LIMITED',
    data: { retryAfterMs: 5000 },
  });
  expect(asked).toBe(1);
  expect(guards.stats()['renfe']).toMatchObject({ throttled: 1, success: 0 });
  await guards.close();
});

test('an answer that ends early by a lost connection is not asked for again', async () => {
  const clock = { ms: 1e12 };
  const guards = guardsAt(clock);
  let asked = 0;
  const failure = { code: 'NETWORK', message: 'x' } as const;
  const run = guards.around(async () => {
    asked += 1;
    return { journeys: [], failure };
  });
  await expect(run(carrier, query, contextOf(clock))).resolves.toMatchObject({ failure });
  expect(asked).toBe(1);
  expect(guards.stats()['renfe']).toMatchObject({ failure: 1 });
  await guards.close();
});

test('attempts and hedges are noted; a late carrier is asked once more if it is hedged', async () => {
  const guards = createCarrierGuards({ settings: { rates: {}, hedged: ['renfe'] }, now: Date.now });
  const notes: unknown[] = [];
  const context = () => ({
    ...contextOf({ ms: Date.now() }, (facts) => void notes.push(facts)),
    deadline: Date.now() + 60_000,
  });
  for (let call = 0; call < 20; call++) {
    await guards.around(async () => none)(carrier, query, context());
  }
  expect(new Set(notes.map((note) => JSON.stringify(note)))).toEqual(
    new Set(['{"attempts":1,"hedged":false}']),
  );
  let asked = 0;
  // The first never answers.
  const run = guards.around(() => {
    asked += 1;
    return asked === 1 ? new Promise<never>(() => {}) : Promise.resolve(none);
  });
  await run(carrier, query, context());
  expect(notes.at(-1)).toEqual({ attempts: 2, hedged: true });
  await guards.close();
});

test('without settings nothing is between a search and its carriers, and HTTP retries', async () => {
  const guards = createCarrierGuards({ settings: undefined, now: Date.now });
  expect(guards.around(failing)).toBe(failing);
  expect(guards.stats()).toEqual({});
  await guards.close();
});

test('the times that a search reports are of attempts: refusals and lost hedges have none', async () => {
  const clock = { ms: 1e12 };
  const carriers = createCarriers(
    {
      carriersUrl: 'http://127.0.0.1:1',
      ouigo: { username: '', password: '' },
      guard: settings,
    },
    () => clock.ms,
  );
  await opened({ ...carriers.guards, around: () => carriers.guards.around(failing) }, clock);
  const ended: string[] = [];
  const search = composedSearch(carriers, {
    names: ['renfe', 'avlo'],
    run: async () => none,
    onEnd: (id) => void ended.push(id),
    now: () => clock.ms,
  });
  const station = (id: string) => ({
    id,
    name: id,
    ...{ zone: 'Europe/Madrid', country: 'ES', latitude: 40, longitude: -3 },
    codes: { renfe: id, avlo: id },
  });
  const found = await search.search({
    origin: station('a'),
    destination: station('b'),
    date: new Date(clock.ms).toISOString().slice(0, 10),
  });
  expect(found.carriers.map(({ state }) => state)).toEqual(['circuit-open', 'empty']);
  await until(() => ended.length > 0);
  expect(ended).toEqual(['avlo']);
  await search.close();
  await carriers.close();
});
