import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStreamCoalescer } from '../src/streams/index.ts';
import { holdStreams } from './held-streams.ts';
import { serveEvents } from './sse-viewers.ts';

const data = (...items: string[]) => items.map((item) => `data: ${item}`);

test('50 clients of server-sent events have one source; one that comes late gets every event', async () => {
  const held = holdStreams<string>();
  const streams = createStreamCoalescer(held.open, { name: 'prices' });
  const view = await serveEvents(streams);
  const viewers = await Promise.all(Array.from({ length: 50 }, view));
  const [source] = held.streams;
  source?.send('1', '2', '3');
  await Promise.all(viewers.map((viewer) => viewer.came(3)));
  const late = await view();
  source?.send('4');
  source?.end();
  for (const viewer of [...viewers, late]) {
    await viewer.end;
    expect(viewer.events).toEqual(data('1', '2', '3', '4'));
  }
  expect(held.streams).toHaveLength(1);
  expect(streams.stats()).toMatchObject({ asked: 51, opened: 1, joined: 50, left: 0, inFlight: 0 });
});

test('the source ends with the last of 50 clients that leaves, and not before', async () => {
  const held = holdStreams<string>();
  const streams = createStreamCoalescer(held.open, { name: 'prices' });
  const view = await serveEvents(streams);
  const viewers = await Promise.all(Array.from({ length: 50 }, view));
  const [source] = held.streams;
  source?.send('1');
  await Promise.all(viewers.map((viewer) => viewer.came(1)));
  const signal = source?.context.signal;
  for (const viewer of viewers.slice(1)) viewer.leave();
  while (streams.stats().readers > 1) await turn();
  expect(signal?.aborted).toBe(false);
  source?.send('2');
  await viewers[0]?.came(2);
  viewers[0]?.leave();
  while (streams.stats().readers > 0) await turn();
  expect(signal?.aborted).toBe(true);
  expect(source?.returned).toBe(1);
  expect(streams.stats()).toMatchObject({ left: 50, aborted: 1, inFlight: 0 });
});

test('a client that does not read holds up none of 9 others, and fails alone above maxBytes', async () => {
  const large = (letter: string) => letter.repeat(256 * 1024);
  const letters = [...'abcdefghijklmnopqrstuvwxyz'.repeat(3)];
  const held = holdStreams<string>();
  const streams = createStreamCoalescer(held.open, { name: 'prices', maxBytes: 1024 * 1024 });
  const view = await serveEvents(streams);
  const [slow, ...others] = await Promise.all(Array.from({ length: 10 }, view));
  slow?.pause();
  for (const [index, letter] of letters.entries()) {
    held.streams[0]?.send(large(letter));
    await Promise.all(others.map((viewer) => viewer.came(index + 1)));
  }
  // More than any buffer of a connection holds: it waits for the first items still, which are gone.
  held.streams[0]?.end();
  await Promise.all(others.map((viewer) => viewer.end));
  for (const { events } of others) {
    expect(events.map((event) => event[6]).join('')).toBe(letters.join(''));
  }
  slow?.resume();
  await slow?.end;
  expect(slow?.events.at(-1)).toMatch(/^event: failed\ndata: .*`maxBytes`/);
  expect(streams.stats()).toMatchObject({ opened: 1, behind: 1, outgrown: 1, readers: 0 });
});
