import { expect, test } from 'vitest';
import type { Call, JournalLine } from '../src/programs/messages.ts';
import {
  begunTwice,
  csvOf,
  failedCsvOf,
  mostLoadsOfAKey,
  secondsOf,
  timeOf,
} from '../src/proof/calls.ts';
import { lostWhatItHad, nothingForgotten, toldWithin } from '../src/proof/checks.ts';
import { setting5 } from '../src/setting-5.ts';

const START = 1_000_000;

function call(id: string, at: number, ms: number, more: Partial<Call> = {}): Call {
  const base = { server: 'server-1', mayTwice: false, code: '', host: 'worker-1' };
  return { id, at: START + at, ms, ...base, ...more };
}

function line(what: JournalLine['what'], id: string, at: number, host = 'worker-1'): JournalLine {
  return { what, id, host, at: START + at, deadline: START + at + 5000 };
}

const calls = [
  call('a', 0, 100),
  call('b', 500, 600),
  call('c', 900, 300, { code: 'ERR_WORKER_LOST' }),
  call('d', 1100, 50, { code: 'ERR_TIMEOUT' }),
  call('e', 950, 400, { mayTwice: true, host: 'worker-2' }),
];
const journal = [
  line('begin', 'a', 1),
  line('end', 'a', 99),
  line('begin', 'b', 501),
  line('begin', 'c', 901),
  line('begin', 'e', 951),
  line('begin', 'e', 1210, 'worker-2'),
];
const observed = {
  ...{ calls, journal, startedAt: START, hosts: [3, 2], events: [], reports: new Map() },
  ...{ setting: setting5, marks: new Map([['fault', START + 1000]]), asked: 5 },
};

test('secondsOf() counts a call in the second in which it is due, its end in the one in which it ends', () => {
  const [first, second] = secondsOf(observed);
  expect(first).toMatchObject({ second: 1, asked: 4, answered: 1, lost: 0, p50Ms: 100, hosts: 3 });
  expect(second).toMatchObject({ asked: 1, answered: 2, lost: 1, failed: 1, retried: 1, hosts: 2 });
  expect(csvOf(secondsOf(observed)).split('\n')).toHaveLength(4);
});

test('failedCsvOf() lists the calls without an answer by when they were due', () => {
  expect(failedCsvOf(observed)).toBe(
    'id,mayTwice,dueMs,toldMs,code\nc,false,900,1200,ERR_WORKER_LOST\nd,false,1100,1150,ERR_TIMEOUT\n',
  );
});

test('timeOf() is the quantile of answers alone', () => {
  expect([timeOf(calls, 0.5), timeOf(calls, 1)]).toEqual([400, 600]);
});

test('begunTwice() and nothingForgotten() tell calls that ran twice, and whether they might', () => {
  expect([...begunTwice(journal)]).toEqual(['e']);
  expect(nothingForgotten(observed).map(({ holds }) => holds)).toEqual([true, true]);
  const twice = { ...observed, journal: [...journal, line('begin', 'a', 300)] };
  expect(nothingForgotten(twice).map(({ holds }) => holds)).toEqual([true, false]);
  expect(nothingForgotten({ ...observed, asked: 6 })[0]?.holds).toBe(false);
});

test('lostWhatItHad() compares losses with what the host had begun', () => {
  const without = calls.filter(({ id }) => id !== 'b');
  const only = { ...observed, calls: without };
  expect(lostWhatItHad(only, 'worker-1')[0]).toMatchObject({ holds: true });
  // It had begun b, which is neither answered by it nor lost.
  expect(lostWhatItHad(observed, 'worker-1')[0]).toMatchObject({ holds: false });
});

test('toldWithin() measures from the fault to the last loss', () => {
  expect(toldWithin(observed, 300)[0]).toMatchObject({ measured: '200 ms', holds: true });
  expect(toldWithin(observed, 100)[0]?.holds).toBe(false);
});

test('mostLoadsOfAKey() counts loads of one key that overlap', () => {
  const loads = [
    line('begin', 'load k 1', 0),
    line('begin', 'load j 1', 5),
    line('begin', 'load k 2', 10, 'worker-2'),
    line('end', 'load k 1', 20),
    line('begin', 'load k 3', 30),
  ];
  expect(mostLoadsOfAKey(loads)).toBe(2);
  expect(mostLoadsOfAKey(loads.slice(0, 2))).toBe(1);
});
