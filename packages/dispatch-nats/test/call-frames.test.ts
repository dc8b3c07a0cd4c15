import type { ToWorker } from '@ticketing/dispatch/worker';
import { expect, test } from 'vitest';
import { isSound } from '../src/host/call-frames.ts';

const run = { kind: 'run', seq: 1, id: 1, task: 'x', input: 1, attempt: 1 } as ToWorker;

test('a stream has room for a whole number of items, up to the largest window', () => {
  const windows = [undefined, 1, 65_536, 0, -1, 1.5, 65_537, Number.POSITIVE_INFINITY];
  expect(windows.map((credit) => isSound({ ...run, credit } as ToWorker))).toEqual([
    ...[true, true, true],
    ...[false, false, false, false, false],
  ]);
  const credits = [1, 65_536, 0, -1, 0.5, 65_537, Number.POSITIVE_INFINITY];
  expect(credits.map((items) => isSound({ kind: 'credit', seq: 1, items }))).toEqual([
    ...[true, true],
    ...[false, false, false, false, false],
  ]);
});

test('calls have a number, the name of a task, and texts as metadata', () => {
  const wrong = [{ seq: 0.5 }, { task: 3 }, { deadline: 'soon' }, { metadata: { a: 1 } }];
  expect(wrong.map((fields) => isSound({ ...run, ...fields } as ToWorker))).toEqual(
    wrong.map(() => false),
  );
  expect(isSound({ kind: 'undecodable', seq: Number.NaN, error: 1 })).toBe(false);
  expect(isSound({ kind: 'stop' })).toBe(true);
});
