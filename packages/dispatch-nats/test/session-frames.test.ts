import type { FromWorker, ToWorker } from '@ticketing/dispatch/transport';
import { expect, test } from 'vitest';
import {
  hasDeadline,
  isFarewell,
  isSound,
  isStream,
  lostHost,
  readied,
  reportOf,
  StreamRooms,
  withoutStreams,
  withTimeLeft,
} from '../src/dispatcher/session-frames.ts';
import type { KnownHost } from '../src/fleet/fleet.ts';

const run = (changes: object = {}): ToWorker => ({
  ...{ kind: 'run', seq: 1, id: 1, task: 'sum', input: 1, attempt: 1, deadline: undefined },
  ...{ metadata: undefined, transfer: undefined, announce: false },
  ...changes,
});
const stop: ToWorker = { kind: 'stop' };

test('frames with a deadline are distinguished, and carry the time left', () => {
  const deadline = Date.now() + 10_000;
  expect([run(), run({ deadline }), stop].map(hasDeadline)).toEqual([false, true, false]);
  expect(withTimeLeft(stop)).toBe(stop);
  const plain = run();
  expect(withTimeLeft(plain)).toBe(plain);
  const { deadline: left = 0, seq } = withTimeLeft(run({ deadline })) as {
    deadline?: number;
    seq: number;
  };
  expect(seq).toBe(1);
  expect(left).toBeGreaterThan(9000);
  expect(left).toBeLessThanOrEqual(10_000);
  expect(withTimeLeft(run({ deadline: 1 }))).toMatchObject({ deadline: 0 });
});

test('a host of an older version is refused streams alone', () => {
  const frames = [run(), run({ seq: 2, credit: 4 }), stop];
  expect(frames.map(isStream)).toEqual([false, true, false]);
  const refused = withoutStreams(frames, 'old.aaaaaaaa');
  expect(refused).toMatchObject([
    {
      seq: 2,
      error: {
        code: 'ERR_UNKNOWN_TASK',
        message:
          'Cannot stream task `sum`: host old.aaaaaaaa has an older version of @ticketing/dispatch-nats, without streams; update it',
        data: { name: 'host old.aaaaaaaa', task: 'sum' },
      },
    },
  ]);
});

test('a bound below one call is none', () => {
  expect(isSound({ kind: 'room', window: 0.5 })).toBe(false);
  expect(isSound({ kind: 'room', window: 1 })).toBe(true);
  expect(isSound({ kind: 'busy', seq: 0 })).toBe(true);
});

test('a host that takes no more calls gets a number that no call has', () => {
  expect(isFarewell({ kind: 'busy', seq: 0 })).toBe(true);
  expect(isFarewell({ kind: 'busy', seq: 1 })).toBe(false);
  expect(isFarewell({ kind: 'dropped', seq: 0 })).toBe(false);
});

test.each([
  ['no-responders', 'it has left NATS'],
  ['silence', 'its beats are missing'],
  ['disconnect', 'the connection to NATS broke'],
  ['gap', 'a message is missing'],
  ['malformed', 'a message could not be read'],
  ['ended', 'it has ended the session'],
] as const)('lostHost() says how %s was seen', (sign, text) => {
  expect(lostHost('a.aaaaaaaa', sign).message).toBe(`Lost host a.aaaaaaaa: ${text}`);
});

test('a worker reports what is known of its host, and that it has worked', () => {
  const announcement = { id: 'a.aaaaaaaa', zone: 'near', revision: '1' };
  const figures = { rttMs: 3, credit: 7 };
  expect(reportOf({ announcement } as KnownHost, figures)).toEqual({
    ...{ kind: 'report', worked: true },
    data: { host: 'a.aaaaaaaa', zone: 'near', revision: '1', rttMs: 3, credit: 7 },
  });
  expect(reportOf(undefined, figures)).toMatchObject({ data: { host: undefined, credit: 7 } });
});

test('a ready host makes the tasks of others known too, each once, and its bound', () => {
  expect(readied({ kind: 'ready', tasks: ['a', 'b'] }, ['b', 'c'], 5)).toEqual([
    { kind: 'ready', tasks: ['a', 'b', 'c'] },
    { kind: 'room', window: 5 },
  ]);
});

test('a host may send as many items of a stream as it has credit for, until the call is over', () => {
  const item = (seq: number): FromWorker => ({ kind: 'item', seq, value: 1 });
  const rooms = new StreamRooms();
  rooms.sent(run({ seq: 1, credit: 2 }));
  rooms.sent(run({ seq: 2 }));
  rooms.sent({ kind: 'credit', seq: 3, items: 10 });
  expect([rooms.came(item(2)), rooms.came(item(3))]).toEqual([false, false]);
  expect([rooms.came(item(1)), rooms.came(item(1)), rooms.came(item(1))]).toEqual([
    true,
    true,
    false,
  ]);
  for (const end of ['done', 'failed', 'lost', 'dropped', 'busy'] as const) {
    const own = new StreamRooms();
    own.sent(run({ seq: 1, credit: 1 }));
    own.sent({ kind: 'credit', seq: 1, items: 2 });
    expect([own.came(item(1)), own.came(item(1))]).toEqual([true, true]);
    expect(own.came({ kind: 'progress', seq: 1, data: 1 })).toBe(true);
    expect(own.came({ kind: end, seq: 1 } as FromWorker)).toBe(true);
    expect([end, own.came(item(1))]).toEqual([end, false]);
    own.sent({ kind: 'credit', seq: 1, items: 2 });
    expect([end, own.came(item(1))]).toEqual([end, false]);
  }
});
