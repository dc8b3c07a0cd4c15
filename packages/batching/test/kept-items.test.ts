import { expect, test } from 'vitest';
import { type KeptItem, KeptItems } from '../src/streams/kept-items.ts';

function read(kept: KeptItems<string>, place: KeptItem<string>): KeptItem<string> {
  const next = kept.readAfter(place);
  if (next === undefined) throw new Error('nothing came');
  return next;
}

test('a push displaces the oldest item that the fastest reader has read, and no other', () => {
  const kept = new KeptItems<string>({ maxItems: 2, maxBytes: 100 });
  const slow = kept.start();
  let quick = kept.start();
  for (const value of ['1', '2', '3']) kept.push(value, 1);
  expect(kept).toMatchObject({ count: 3, isOutgrown: false, isAhead: true });
  quick = read(kept, quick);
  kept.push('4', 1);
  expect(kept.isOutgrown).toBe(true);
  expect([kept.isBehind(slow), kept.isBehind(quick)]).toEqual([true, false]);
  for (const value of ['2', '3', '4']) {
    quick = read(kept, quick);
    expect(quick.value).toBe(value);
  }
  expect(kept).toMatchObject({ count: 4, isAhead: false });
  expect(kept.readAfter(quick)).toBeUndefined();
});

test('a place that was displaced holds neither its item nor those after it', () => {
  const kept = new KeptItems<string>({ maxItems: 1, maxBytes: 100 });
  const start = kept.start();
  kept.push('1', 1);
  const first = read(kept, start);
  kept.push('2', 1);
  const second = read(kept, first);
  kept.push('3', 1);
  expect([start.next, first.next, first.value]).toEqual([undefined, undefined, undefined]);
  expect(second).toMatchObject({ value: undefined, next: { value: '3' } });
});

test('bytes count without the newest item; half of them may be kept for the fastest reader', () => {
  const kept = new KeptItems<string>({ maxItems: 100, maxBytes: 10 });
  kept.push('1', 4);
  expect(kept.isAhead).toBe(false);
  kept.push('2', 1);
  expect(kept.isAhead).toBe(true);
  const place = read(kept, read(kept, kept.start()));
  kept.push('3', 1000);
  expect(kept).toMatchObject({ isOutgrown: false, isAhead: true });
  read(kept, place);
  kept.push('4', 0);
  expect(kept.isOutgrown).toBe(true);
});
