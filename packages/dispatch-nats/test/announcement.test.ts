import { expect, test } from 'vitest';
import {
  encodeJson,
  MAX_JSON_BYTES,
  PROTOCOL,
  readAnnouncement,
  readOpened,
  readOpening,
  V8_FORMAT,
} from '../src/fleet/announcement.ts';

const ID = 'host.abcdefgh';
const announced = {
  ...{ protocol: PROTOCOL, v8: V8_FORMAT, id: ID, zone: 'a', revision: '1.2.3' },
  ...{ tasks: ['sum'], capacity: 64, state: 'serving', withinMs: 13_000 },
};
const opening = {
  ...{ protocol: PROTOCOL, v8: V8_FORMAT, dispatcher: 'web.abcdefgh', session: 1, hosts: 3 },
  ...{ beatMs: 250, missedBeats: 3, idleMs: 5000, maxMessageBytes: 1024, module: 'file:///x' },
};
const opened = { host: ID, ok: true, window: 1, maxMessageBytes: 1024, streams: true };
const refused = { host: ID, ok: false, reason: 'full' };

const noCount = [-1, 0.5, '1', null, 1e300, [1], undefined];
const noId = [
  undefined,
  '',
  5,
  'host',
  'host.short',
  'host.abcdefgh.x',
  'Host.abcdefgh',
  'a>.abcdefgh',
];

/** Each field, with values that it must not have. */
const announcements: Readonly<Record<string, readonly unknown[]>> = {
  id: noId,
  protocol: noCount,
  tasks: [undefined, 'sum', [1], ['sum', null], Array(10_001).fill('x')],
  capacity: noCount,
  state: [undefined, 'gone', 1],
  withinMs: [-1, 0.5, '1', null, 86_400_001],
};
const openings: Readonly<Record<string, readonly unknown[]>> = {
  dispatcher: noId,
  protocol: noCount,
  v8: noCount,
  session: noCount,
  beatMs: [...noCount, 0, 3_600_001],
  missedBeats: [...noCount, 0, 1001],
  idleMs: [-1, 0.5, '1', null, 249, 86_400_001],
  maxMessageBytes: noCount,
  hosts: [-1, 0.5, '1', null],
};
const answers: Readonly<Record<string, readonly unknown[]>> = {
  host: noId,
  ok: [undefined, 1, 'true', null],
  window: [...noCount, 0],
  maxMessageBytes: noCount,
};

function broken(sound: object, fields: Readonly<Record<string, readonly unknown[]>>) {
  return Object.entries(fields).flatMap(([field, values]) =>
    values.map((value) => ({ field, value, bytes: encodeJson({ ...sound, [field]: value }) })),
  );
}

test.each([
  ['readAnnouncement', readAnnouncement, announced],
  ['readOpening', readOpening, opening],
  ['readOpened', readOpened, opened],
  ['readOpened', readOpened, refused],
] as const)(
  '%s() reads what is sound, and nothing that is no object of JSON [checked-frames]',
  (_, read, sound) => {
    expect(read(encodeJson(sound))).toEqual(sound);
    expect(read(encodeJson({ ...sound, more: 1 }))).toEqual(sound);
    // A part of the memory of others.
    const shared = Buffer.concat([Buffer.from('[['), encodeJson(sound), Buffer.from(']]')]);
    expect(read(shared.subarray(2, -2))).toEqual(sound);
    for (const odd of ['', '{', 'null', '5', '"x"', '[]', `[${JSON.stringify(sound)}]`, '{}']) {
      expect([odd, read(Buffer.from(odd))]).toEqual([odd, undefined]);
    }
    expect(read(Buffer.from([0xff, 0xfe, 0]))).toBeUndefined();
    const most = MAX_JSON_BYTES - encodeJson({ ...sound, more: '' }).byteLength;
    expect(read(encodeJson({ ...sound, more: 'x'.repeat(most) }))).toEqual(sound);
    expect(read(encodeJson({ ...sound, more: 'x'.repeat(most + 1) }))).toBeUndefined();
  },
);

test('readAnnouncement(), readOpening() and readOpened() refuse each wrong field [checked-frames]', () => {
  for (const { field, value, bytes } of broken(announced, announcements)) {
    expect([field, value, readAnnouncement(bytes)]).toEqual([field, value, undefined]);
  }
  for (const { field, value, bytes } of broken(opening, openings)) {
    expect([field, value, readOpening(bytes)]).toEqual([field, value, undefined]);
  }
  for (const { field, value, bytes } of broken(opened, answers)) {
    expect([field, value, readOpened(bytes)]).toEqual([field, value, undefined]);
  }
  for (const reason of ['tasks', 5, undefined, '']) {
    expect(readOpened(encodeJson({ ...refused, reason }))).toBeUndefined();
  }
  for (const reason of ['full', 'leaving', 'protocol', 'v8']) {
    expect(readOpened(encodeJson({ ...refused, reason }))).toEqual({ ...refused, reason });
  }
});

test('the borders of numbers are read', () => {
  const reads = (changes: object) => readOpening(encodeJson({ ...opening, ...changes }));
  for (const beatMs of [1, 3_600_000]) {
    expect(reads({ beatMs, idleMs: 3_600_000 })).toMatchObject({ beatMs });
  }
  for (const missedBeats of [1, 1000])
    expect(reads({ missedBeats })).toMatchObject({ missedBeats });
  for (const idleMs of [250, 86_400_000]) expect(reads({ idleMs })).toMatchObject({ idleMs });
  for (const withinMs of [0, 86_400_000]) {
    expect(readAnnouncement(encodeJson({ ...announced, withinMs }))).toMatchObject({ withinMs });
  }
  const tasks = Array(10_000).fill('x');
  expect(readAnnouncement(encodeJson({ ...announced, tasks }))?.tasks).toHaveLength(10_000);
  for (const state of ['serving', 'leaving', 'closed']) {
    expect(readAnnouncement(encodeJson({ ...announced, state }))).toMatchObject({ state });
  }
});

test('what an older host or dispatcher does not say has a default', () => {
  const { withinMs: _, zone: __, revision: ___, v8: ____, ...old } = announced;
  expect(readAnnouncement(encodeJson(old))).toEqual({
    ...{ ...announced, withinMs: 13_000, zone: undefined, revision: undefined, v8: 0 },
  });
  const { idleMs: _idle, hosts: _hosts, module: _module, ...older } = opening;
  expect(readOpening(encodeJson(older))).toEqual({
    ...{ ...opening, idleMs: opening.beatMs, hosts: 0, module: undefined },
  });
  const { streams: _streams, ...without } = opened;
  expect(readOpened(encodeJson(without))).toEqual({ ...without, streams: false });
  expect(readOpened(encodeJson({ ...opened, streams: 1 }))).toEqual({ ...opened, streams: false });
});

test('labels are short texts, or none', () => {
  for (const label of ['', 5, null, 'x'.repeat(65)]) {
    const read = readAnnouncement(encodeJson({ ...announced, zone: label, revision: label }));
    expect([read?.zone, read?.revision]).toEqual([undefined, undefined]);
  }
  const zone = 'x'.repeat(64);
  expect(readAnnouncement(encodeJson({ ...announced, zone }))?.zone).toBe(zone);
});

test('of another protocol only its number, id, format and labels are read', () => {
  const other = { ...announced, protocol: PROTOCOL + 1, tasks: 5, capacity: 'x', state: 'odd' };
  expect(readAnnouncement(encodeJson(other))).toEqual({
    ...{ ...announced, protocol: PROTOCOL + 1, tasks: [], capacity: 0, state: 'serving' },
    withinMs: 13_000,
  });
});
