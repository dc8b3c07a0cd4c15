import { expect, test } from 'vitest';
import { joinedGuards } from '../src/guard/joined-guards.ts';
import { guardEvents, type OpenCircuits } from '../src/operator/guard-events.ts';
import { healthOf } from '../src/trends/health.ts';
import { createRates } from '../src/trends/rates.ts';
import { someGuard, someView } from './bare-view.ts';

type Circuit = (typeof someGuard)['circuit'];

/** A view in which Renfe's circuit has a state in each process. */
function viewOf(circuits: Readonly<Record<string, Circuit | undefined>>) {
  const http = { inFlight: 0, sent: 0, retried: 0, refused: 0 };
  return someView({
    carriers: Object.entries(circuits).map(([process, circuit]) => ({
      ...{ process, id: 'renfe', states: {}, latency: {}, http },
      ...(circuit && { guard: { ...someGuard, circuit } }),
    })),
  });
}

test('an event when the first circuit of a carrier opens, and one when the last is closed', () => {
  let open: OpenCircuits = new Set();
  const after = (circuits: Parameters<typeof viewOf>[0]) => {
    const found = guardEvents(viewOf(circuits), open);
    open = found.open;
    return found.events.map(({ kind, text, carrier, detail }) => [kind, text, carrier, detail]);
  };
  expect(after({ one: 'closed', two: undefined })).toEqual([]);
  expect(after({ one: 'open', two: 'closed' })).toEqual([
    ['guard-opened', 'Circuit of Renfe opened', 'renfe', 'it failed too often, in one'],
  ]);
  expect(after({ one: 'open', two: 'open' })).toEqual([]);
  expect(after({ one: 'half-open', two: 'closed' })).toEqual([]);
  // A process that reports nothing for a while closes nothing.
  expect(after({})).toEqual([]);
  expect(after({ one: 'closed', two: 'closed' })).toEqual([
    ['guard-closed', 'Circuit of Renfe closed', 'renfe', undefined],
  ]);
  expect(after({ one: 'closed', two: 'closed' })).toEqual([]);
});

test('guards of several processes are one: counts are added, the worst state and the longest time count', () => {
  const one = { ...someGuard, calls: 3, pausedMs: 50, budget: 1.5 };
  const other = { ...someGuard, calls: 4, circuit: 'open', openMs: 900, budget: 2 } as const;
  const { renfe, avlo } = joinedGuards([{ renfe: one }, { renfe: other, avlo: one }, {}]);
  expect(renfe).toMatchObject({
    calls: 7,
    circuit: 'open',
    openMs: 900,
    pausedMs: 50,
    budget: 3.5,
  });
  expect(avlo).toEqual(one);
});

test('a carrier whose circuit is open fails, however few calls there were; one that is paused asks for it', () => {
  const conditionsOf = (guard: Partial<typeof someGuard>) => {
    const view = viewOf({ one: 'closed' });
    const [row] = view.carriers;
    const carriers = row === undefined ? [] : [{ ...row, guard: { ...someGuard, ...guard } }];
    const rates = createRates();
    rates.add({ ...view, carriers });
    const { conditions } = healthOf({ ...view, carriers }, rates);
    return conditions.map(({ id, state, says, detail }) => [id, state, says, detail]);
  };
  expect(conditionsOf({})).toEqual([]);
  expect(conditionsOf({ circuit: 'open', openMs: 4000 })).toEqual([
    ['renfe', 'fails', 'fails', 'circuit open'],
  ]);
  expect(conditionsOf({ circuit: 'half-open' })).toEqual([
    ['renfe', 'fails', 'fails', 'circuit open'],
  ]);
  expect(conditionsOf({ pausedMs: 500 })).toEqual([
    ['renfe', 'full', 'asks for a pause', undefined],
  ]);
});
