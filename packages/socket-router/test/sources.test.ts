import { expect, test, vi } from 'vitest';
import type { WorkerSource } from '../src/contract/worker-source.ts';
import { type SourceEvent, Sources } from '../src/placing/sources.ts';

/** A source that has started no worker, and whose `ready()` rejects. */
function failing(error: unknown) {
  const ready = vi.fn(() => Promise.reject(error));
  const source: WorkerSource = { subscribe: () => () => {}, ready };
  const events: SourceEvent[] = [];
  const sources = new Sources([source], (event) => events.push(event));
  return { sources, events, ready };
}

test('a source whose own ready() rejects with ERR_CIRCUIT_OPEN has an open circuit, with the cause as its reason', async () => {
  const cause = new Error('no database');
  const error = Object.assign(new Error('failed', { cause }), { code: 'ERR_CIRCUIT_OPEN' });
  const { sources, events } = failing(error);
  await expect(sources.ready()).rejects.toMatchObject({ code: 'ERR_CIRCUIT_OPEN', cause });
  expect(events).toEqual([{ kind: 'circuit-open', slots: [], error: cause }]);
  expect([sources.haveFailed(), sources.failed]).toEqual([true, { error: cause }]);
});

test('a source whose own ready() rejects with another error has that error and no open circuit, and is asked again', async () => {
  const error = new Error('not now');
  const { sources, events, ready } = failing(error);
  await expect(sources.ready()).rejects.toBe(error);
  await expect(sources.ready()).rejects.toBe(error);
  expect([events, sources.haveFailed(), ready.mock.calls.length]).toEqual([[], false, 2]);
});
