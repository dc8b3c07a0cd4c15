import { startCarrierSim } from '@ticketing/carrier-sim';
import { expect, test } from 'vitest';
import { CARRIER_FAULTS } from '../../chaos/faults/carrier-faults.ts';
import { FAULT_NAMES } from '../../chaos/faults/fault.ts';
import { choicesOf, scheduleOf } from '../../chaos/faults/schedule.ts';
import { questionsFrom } from '../../chaos/load/questions.ts';
import { requestOf } from '../../chaos/load/requests.ts';
import { SETUPS } from '../../chaos/setups.ts';

const MINUTES = 10;
const ms = MINUTES * 60_000;
const questions = questionsFrom(Date.parse('2026-12-01T12:00:00Z'));

test.each(SETUPS)(
  '$name: a seed decides the faults, one every one to three seconds, and none outlasts the run',
  (setup) => {
    const faults = scheduleOf(setup, { seed: 3, ms });
    expect(scheduleOf(setup, { seed: 3, ms })).toEqual(faults);
    expect(scheduleOf(setup, { seed: 4, ms })).not.toEqual(faults);
    for (const [index, { fault, atMs, durationMs }] of faults.entries()) {
      expect(fault).toBe(index);
      const gap = atMs - (faults[index - 1]?.atMs ?? 0);
      expect(gap).toBeGreaterThanOrEqual(999);
      expect(gap).toBeLessThan(3001);
      expect(atMs + durationMs).toBeLessThanOrEqual(ms);
    }
  },
);

test.each(SETUPS)(
  '$name: every kind of fault that it can have comes in ten minutes, and no primary is killed',
  (setup) => {
    const kinds = (list: readonly { readonly name: string; readonly part?: string }[]) =>
      new Set(list.map(({ name, part }) => `${name} ${part}`));
    const faults = [1, 2, 3].flatMap((seed) => scheduleOf(setup, { seed, ms }));
    expect(kinds(faults)).toEqual(kinds(choicesOf(setup)));
    expect(faults.some(({ name, part }) => name === 'SIGKILL' && part === 'primary')).toBe(false);
    expect(faults.some(({ name, part }) => name === 'SIGTERM' && part === 'primary')).toBe(false);
  },
);

test('one part, one carrier and one machine have one lasting fault at a time', () => {
  for (const setup of SETUPS) {
    const faults = scheduleOf(setup, { seed: 5, ms });
    for (const [index, one] of faults.entries()) {
      for (const other of faults.slice(index + 1)) {
        if (other.atMs >= one.atMs + one.durationMs) break;
        const resource = ({ carrier, part, name }: typeof one) => carrier ?? part ?? name;
        expect(resource(other)).not.toBe(resource(one));
      }
    }
  }
});

test('all set-ups together have every kind of fault, and all carriers every fault of theirs', () => {
  const faults = SETUPS.flatMap((setup) => scheduleOf(setup, { seed: 1, ms: 10 * ms }));
  expect(new Set(faults.map(({ name }) => name))).toEqual(new Set(FAULT_NAMES));
  const planned = new Set(faults.map(({ carrier, plan }) => `${carrier} ${plan?.fault?.kind}`));
  for (const { carrier, kind } of CARRIER_FAULTS) expect(planned).toContain(`${carrier} ${kind}`);
});

test('set-ups have each way to accept, to dispatch, to coalesce and to offload', () => {
  const values = (flag: string) =>
    new Set(
      SETUPS.flatMap(({ flags }) => (flags.includes(flag) ? [flags[flags.indexOf(flag) + 1]] : [])),
    );
  expect(SETUPS).toHaveLength(12);
  expect(values('--accept')).toEqual(new Set(['single', 'cluster', 'passthru', 'socket']));
  expect(values('--dispatch')).toEqual(
    new Set(['in-process', 'fork', 'cluster', 'nats', 'piscina']),
  );
  expect(values('--coalesce')).toEqual(new Set(['on', 'off', 'fleet', 'machine', 'shared']));
  expect(values('--offload')).toEqual(new Set(['search', 'normalise']));
});

test('requestOf() depends on the seed and the number alone', () => {
  const load = { seed: 1, perSecond: 15, questions };
  const some = [3, 1, 2, 3].map((id) => requestOf(id, load));
  expect(some[0]).toEqual(some[3]);
  expect(requestOf(3, { ...load, seed: 2 })).not.toEqual(some[0]);
});

test('a load has every route and every kind of client, at its rate', () => {
  const load = { seed: 1, perSecond: 15, questions };
  const all = Array.from({ length: 900 }, (_, id) => requestOf(id, load));
  expect(new Set(all.map(({ route }) => route)).size).toBe(10);
  expect(new Set(all.map(({ client }) => client)).size).toBe(4);
  expect(all.at(-1)?.dueMs).toBeGreaterThan(59_000);
  expect(all.at(-1)?.dueMs).toBeLessThanOrEqual(60_000);
  const asked = all.flatMap(({ question }) => question ?? []);
  const first = asked.filter((question) => question === questions[0]).length;
  expect(first).toBeGreaterThan(asked.length / 10);
});

test('the simulator accepts every fault of every carrier', async () => {
  await using sim = await startCarrierSim();
  for (const { carrier, kind } of CARRIER_FAULTS) {
    expect(sim.setPlan(carrier, { fault: { kind, share: 0.5 } }).fault).toMatchObject({ kind });
  }
});
