import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { GtfsError, readGtfs } from '../src/index.ts';
import { ask, carrierOf, stationOf } from './ask.ts';
import { smallFeed, zipFeed } from './zip-feed.ts';

const question = { origin: stationOf('A'), destination: stationOf('C'), date: '2026-12-01' };
const feed = await readGtfs(zipFeed(smallFeed));

test('a feed is read at the first question, once for all', async () => {
  let reads = 0;
  const load = async () => {
    reads += 1;
    return feed;
  };
  const carrier = carrierOf(load);
  expect(reads).toBe(0);
  const answers = await Promise.all([ask(carrier, question), ask(carrier, question)]);
  expect(answers.map(({ journeys }) => journeys.length)).toEqual([1, 1]);
  await ask(carrier, question);
  expect(reads).toBe(1);
});

test('a feed that cannot be read is an error of the carrier, and is read again for the next question', async () => {
  const results = [() => readGtfs(new Uint8Array()), async () => feed];
  const carrier = carrierOf(() => (results.shift() as () => Promise<typeof feed>)());
  const error = await ask(carrier, question).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'PROTOCOL' });
  expect((error as Error).message).toMatch(/^Cannot ask `gtfs`: Cannot read feed: it is no zip/);
  expect(GtfsError.is((error as Error).cause)).toBe(true);
  expect((await ask(carrier, question)).journeys).toHaveLength(1);
});

test('a question that leaves ends at once, and no other with it', async () => {
  let resolve = (_feed: typeof feed): void => {};
  const promise = new Promise<typeof feed>((settle) => {
    resolve = settle;
  });
  const carrier = carrierOf(() => promise);
  const leaving = new AbortController();
  const other = ask(carrier, question);
  const left = ask(carrier, question, leaving.signal);
  const reason = new Error('gone');
  leaving.abort(reason);
  await expect(left).rejects.toBe(reason);
  resolve(feed);
  expect((await other).journeys).toHaveLength(1);
  const staying = new AbortController();
  await ask(carrier, question, staying.signal);
  await expect(ask(carrier, question, leaving.signal)).rejects.toBe(reason);
  expect(getEventListeners(staying.signal, 'abort')).toEqual([]);
});
