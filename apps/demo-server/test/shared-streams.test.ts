import { stationTable } from '@ticketing/carriers';
import type { SearchEvent, SearchQuery } from '@ticketing/core';
import { turns } from '@ticketing/test-kit';
import { expect, test } from 'vitest';
import type { Answers } from '../src/answers/answers.ts';
import { shared } from '../src/answers/shared.ts';
import { someAnswers } from './some-answers.ts';

const [origin, destination] = stationTable.stations as [never, never];
const query: SearchQuery = { origin, destination, date: '2026-12-01' };
const question = { query, order: 'departure' } as const;
const options = { deadlineMs: 1000 };

/** A search whose events a test sends. */
function heldSearch() {
  const streams: { send(event: SearchEvent): void; end(error?: Error): void; left: boolean }[] = [];
  const events: Answers['events'] = () => {
    const sent: SearchEvent[] = [];
    let [wake, isOver, failure] = [() => {}, false, undefined as Error | undefined];
    const held = {
      left: false,
      send(event: SearchEvent) {
        sent.push(event);
        wake();
      },
      end(error?: Error) {
        [isOver, failure] = [true, error];
        wake();
      },
    };
    streams.push(held);
    const iterator: AsyncIterableIterator<SearchEvent> = {
      async next() {
        while (sent.length === 0 && !isOver) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const value = sent.shift();
        if (value !== undefined) return { done: false, value };
        if (failure !== undefined) throw failure;
        return { done: true, value: undefined };
      },
      async return() {
        held.left = true;
        held.end();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  };
  return { streams, own: someAnswers({ events }) };
}

const upsert = (seq: number): SearchEvent => ({
  type: 'journeys-upsert',
  seq,
  journeys: [],
  removed: [],
  places: {},
  operators: {},
});

async function seqs(events: AsyncIterable<SearchEvent>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of events) seen.push('seq' in event ? event.seq : event.type);
  return seen;
}

test('a client that joins gets the events so far first, then goes on; one search for all', async () => {
  const { streams, own } = heldSearch();
  const { events, stats } = shared(own);
  const first = seqs(events(question, options));
  streams[0]?.send(upsert(1));
  await turns();
  const second = seqs(events(question, options));
  streams[0]?.send(upsert(2));
  streams[0]?.end();
  expect(await Promise.all([first, second])).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(streams).toHaveLength(1);
  expect(stats().streams).toEqual({ asked: 2, joined: 1, inFlight: 0 });
  void seqs(events(question, options));
  expect(streams).toHaveLength(2);
  streams[1]?.end();
});

test('a search goes on while one viewer is left, and ends with the last one', async () => {
  const { streams, own } = heldSearch();
  const { events, stats } = shared(own);
  const [one, other] = [events(question, options), events(question, options)];
  const pending = one.next();
  await one.return?.();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(streams[0]?.left).toBe(false);
  await other.return?.();
  await other.return?.();
  expect(streams[0]?.left).toBe(true);
  expect(stats().streams).toMatchObject({ inFlight: 0 });
  await turns();
});

test('a viewer that stops reading holds up no other, and misses nothing', async () => {
  const { streams, own } = heldSearch();
  const { events } = shared(own);
  const [slow, quick] = [events(question, options), events(question, options)];
  for (let seq = 1; seq <= 1000; seq++) streams[0]?.send(upsert(seq));
  streams[0]?.end();
  expect(await seqs(quick)).toHaveLength(1000);
  expect(await seqs(slow)).toHaveLength(1000);
});

test('a failure reaches every viewer once', async () => {
  const { streams, own } = heldSearch();
  const { events } = shared(own);
  const [one, other] = [events(question, options), events(question, options)];
  streams[0]?.end(new Error('no search'));
  await expect(seqs(one)).rejects.toThrow('no search');
  await expect(seqs(other)).rejects.toThrow('no search');
  expect(await one.next()).toEqual({ done: true, value: undefined });
});

test('other questions have searches of their own', () => {
  const { streams, own } = heldSearch();
  const { events } = shared(own);
  events(question, options);
  events({ ...question, order: 'price' }, options);
  events({ ...question, query: { ...query, passengers: 2 } }, options);
  expect(streams).toHaveLength(3);
  for (const each of streams) each.end();
});
