import { expect, test } from 'vitest';
import type { ChaosEvent } from '../../chaos/events/event.ts';
import { checkInvariants, INVARIANTS } from '../../chaos/invariants/invariants.ts';
import { recoveryMs } from '../../chaos/invariants/request-invariants.ts';
import { timelineOf } from '../../chaos/invariants/timeline.ts';
import { answered, broken, fault, found, logOf, request, state, TERMS } from './made-up-log.ts';

const line = { carrier: 'renfe', kind: 'extra', line: '1 2 3 4' } as const;
const lacking = { carrier: 'renfe', kind: 'lacking', line: '1 2 3 4' } as const;
const hafas = { name: 'carrier fault', carrier: 'hafas', alters: true };
const renfe = { name: 'carrier fault', carrier: 'renfe', alters: true };
const server = (name: string) => ({ name, part: 'server' }) as const;
const observed = (when: 'before' | 'after', more = {}) =>
  ({ kind: 'observed', when, state: state(more) }) as const;
const stopped = (exit: number | string, left: readonly string[] = []) =>
  ({ kind: 'stopped', program: 'demo', exit, tookMs: 10, left }) as const;

/** For each invariant logs that keep it and logs that break it. */
const CASES: Readonly<Record<string, { readonly keeps: Logs; readonly breaks: Logs }>> = {
  'ends-in-time': {
    keeps: {
      'in its time': logOf(...request({ from: 0, to: 3500 }, found())),
      'a slow client is later by its pauses': logOf(
        ...request({ from: 0, to: 3900, heldMs: 400 }, found()),
      ),
      'its server was stopped': logOf(
        ...request({ from: 0, to: 4400 }, found()),
        ...fault({ from: 1000, to: 2000 }, server('SIGSTOP')),
      ),
      'the machine had no core for its server': logOf(...request({ from: 0, to: 3800 }, found()), [
        1000,
        { kind: 'starved', part: 'server', pid: 1, ms: 400, ofMs: 500 },
      ]),
      'the harness itself was late': logOf(...request({ from: 0, to: 3800 }, found()), [
        3000,
        { kind: 'late', ms: 400 },
      ]),
      'time counts anew for one that was sent again': logOf(
        ...request({ from: 0, to: 5000 }, found()),
        [2000, { kind: 'sent-again', id: 1 }],
      ),
      'a stream without an end is left': logOf(
        ...request({ from: 0, to: 9000, route: 'events' }, { how: 'left', answering: true }),
      ),
    },
    breaks: {
      'a millisecond late': logOf(...request({ from: 0, to: 3501 }, found())),
      'still open': logOf(
        [0, { kind: 'sent', id: 1, route: 'search', client: 'kept', target: '/x' }],
        [3501, { kind: 'phase', phase: 'calm' }],
      ),
      'the client gave up': logOf(...request({ from: 0, to: 30_000 }, { how: 'hung' })),
      'a worker of tasks was stopped: its server can end the request': logOf(
        ...request({ from: 0, to: 4400 }, found()),
        ...fault({ from: 1000, to: 2000 }, { name: 'SIGSTOP', part: 'task' }),
      ),
      'two servers wait for a core side by side': logOf(
        ...request({ from: 0, to: 4200 }, found()),
        [1000, { kind: 'starved', part: 'server', pid: 1, ms: 400, ofMs: 500 }],
        [1000, { kind: 'starved', part: 'server', pid: 2, ms: 400, ofMs: 500 }],
      ),
    },
  },
  'no-connection-refused': {
    keeps: {
      'after SIGTERM': logOf(
        [0, { kind: 'phase', phase: 'stopping' }],
        ...request({ from: 1, to: 2 }, { how: 'refused' }),
      ),
    },
    breaks: { 'while it serves': logOf(...request({ from: 1, to: 2 }, { how: 'refused' })) },
  },
  'complete-is-true': {
    keeps: {
      'the timetable': logOf(...request({ from: 0, to: 9 }, found())),
      'a fault alters what the carrier answers': logOf(
        ...request({ from: 3000, to: 3100 }, found({ differences: [lacking] })),
        ...fault({ from: 0, to: 1000 }, renfe),
      ),
      'an answer is kept from then': logOf(
        ...request({ from: 9000, to: 9001 }, found({ differences: [line], ageMs: 6500 })),
        ...fault({ from: 0, to: 1000 }, renfe),
      ),
    },
    breaks: {
      'a train more': logOf(...request({ from: 0, to: 9 }, found({ differences: [line] }))),
      'a train less': logOf(...request({ from: 0, to: 9 }, found({ differences: [lacking] }))),
      'complete without a carrier': logOf(
        ...request({ from: 0, to: 9 }, found({ missing: ['avlo'] })),
      ),
      'a fault of another carrier': logOf(
        ...request({ from: 0, to: 9 }, found({ differences: [lacking] })),
        ...fault({ from: 0, to: 1000 }, hafas),
      ),
      'a fault that ended long before': logOf(
        ...request({ from: 3001, to: 3100 }, found({ differences: [lacking] })),
        ...fault({ from: 0, to: 1000 }, renfe),
      ),
      'a fault after which the answer is the right one or none': logOf(
        ...request({ from: 0, to: 9 }, found({ differences: [lacking] })),
        ...fault({ from: 0, to: 1000 }, { ...renfe, alters: false }),
      ),
    },
  },
  'partial-names-missing': {
    keeps: {
      'names who is missing': logOf(
        ...request({ from: 0, to: 9 }, found({ complete: false, missing: ['renfe'] })),
      ),
      'a failed stream': logOf(
        ...request({ from: 0, to: 9 }, found({ complete: false, stream: 'failed' })),
      ),
    },
    breaks: {
      'names nobody': logOf(...request({ from: 0, to: 9 }, found({ complete: false }))),
      'has a train that no timetable has': logOf(
        ...request(
          { from: 0, to: 9 },
          found({ complete: false, missing: ['renfe'], differences: [line] }),
        ),
      ),
    },
  },
  'own-question': {
    keeps: { 'its own': logOf(...request({ from: 0, to: 9 }, found())) },
    breaks: {
      'a search of another': logOf(...request({ from: 0, to: 9 }, found({ otherQuestion: 'x' }))),
      'other content': logOf(
        ...request({ from: 0, to: 9, route: 'worms' }, {
          ...answered(200),
          wrong: 'no worm',
        } as never),
      ),
    },
  },
  'streams-end': {
    keeps: {
      done: logOf(...request({ from: 0, to: 9 }, found({ stream: 'done' }))),
      failed: logOf(...request({ from: 0, to: 9 }, found({ stream: 'failed', complete: false }))),
    },
    breaks: {
      'no last event': logOf(
        ...request({ from: 0, to: 9 }, found({ stream: 'open', complete: false })),
      ),
    },
  },
  'refused-says-when': {
    keeps: { when: logOf(...request({ from: 0, to: 9 }, answered(503, { retryAfter: '1' }))) },
    breaks: {
      '503': logOf(...request({ from: 0, to: 9 }, answered(503))),
      '429': logOf(...request({ from: 0, to: 9 }, answered(429))),
    },
  },
  'no-defect': {
    keeps: { '504': logOf(...request({ from: 0, to: 9 }, answered(504))) },
    breaks: { '500': logOf(...request({ from: 0, to: 9 }, answered(500))) },
  },
  'cut-has-cause': {
    keeps: {
      'its server was killed': logOf(
        ...request({ from: 0, to: 500 }, { how: 'cut', code: 'ECONNRESET' }),
        ...fault({ from: 400, to: 400 }, server('SIGKILL')),
      ),
      'its server was stopped, and killed by its checks': logOf(
        ...request({ from: 3000, to: 9000 }, { how: 'cut', code: 'ECONNRESET' }),
        ...fault({ from: 400, to: 1000 }, server('SIGSTOP')),
        ...request({ id: 2, from: 1, to: 2 }, found()),
      ),
    },
    breaks: {
      'nothing happened': logOf(...request({ from: 0, to: 9 }, { how: 'cut', code: 'ECONNRESET' })),
      'a server was replaced': logOf(
        ...request({ from: 0, to: 500 }, { how: 'cut', code: 'ECONNRESET' }),
        ...fault({ from: 400, to: 400 }, server('SIGTERM')),
      ),
      'a worker of tasks was killed': logOf(
        ...request({ from: 0, to: 500 }, { how: 'cut', code: 'ECONNRESET' }),
        ...fault({ from: 400, to: 400 }, { name: 'SIGKILL', part: 'task' }),
      ),
      'it was killed long before': logOf(
        ...fault({ from: 0, to: 0 }, server('SIGKILL')),
        ...request({ from: 2000, to: 2500 }, { how: 'cut', code: 'ECONNRESET' }),
      ),
    },
  },
  'good-after-faults': {
    keeps: {
      'not yet': logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request({ from: 4999, to: 5100 }, answered(504)),
      ),
      'in time again': logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request({ from: 5000, to: 5100 }, found()),
      ),
      'a carrier has asked for a pause': logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request(
          { from: 5000, to: 5100 },
          found({ complete: false, missing: ['renfe'], paused: ['renfe'] }),
        ),
      ),
      'the machine had no core': logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request({ from: 6000, to: 6100 }, answered(503, { retryAfter: '1' })),
        [5500, { kind: 'starved', part: 'server', pid: 1, ms: 500, ofMs: 500 }],
        [6000, { kind: 'starved', part: 'server', pid: 1, ms: 300, ofMs: 500 }],
      ),
    },
    breaks: {
      'another carrier is missing as well': logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request(
          { from: 5000, to: 5100 },
          found({ complete: false, missing: ['renfe', 'ojp'], paused: ['renfe'] }),
        ),
      ),
      partial: logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request({ from: 5000, to: 5100 }, found({ complete: false, missing: ['ojp'] })),
      ),
      refused: logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request({ from: 5000, to: 5100 }, answered(503, { retryAfter: '1' })),
      ),
      'cut, though the machine had no core': logOf(
        [0, { kind: 'phase', phase: 'calm' }],
        ...request({ from: 6000, to: 6100 }, { how: 'cut', code: 'ECONNRESET' }),
        [6000, { kind: 'starved', part: 'server', pid: 1, ms: 900, ofMs: 1000 }],
        ...fault({ from: 6000, to: 6000 }, server('SIGKILL')),
      ),
    },
  },
  'nothing-grows': {
    keeps: {
      'as before': logOf([0, observed('before')], [9, observed('after')]),
      'a socket has marks now': logOf(
        [0, observed('before', { files: ['r/1'] })],
        [9, observed('after', { files: ['r/2', 'r/2.taken', 'r/2.taken.77'] })],
      ),
      'pools and heaps take a little': logOf(
        [0, observed('before')],
        [9, observed('after', { memoryBytes: 500e6, threads: 34, descriptors: { socket: 38 } })],
      ),
    },
    breaks: {
      'a process less': logOf(
        [0, observed('before')],
        [9, observed('after', { processes: { primary: 1, server: 1 } })],
      ),
      'a stray process': logOf(
        [0, observed('before')],
        [9, observed('after', { processes: { primary: 1, server: 2, stray: 1 } })],
      ),
      descriptors: logOf(
        [0, observed('before')],
        [9, observed('after', { descriptors: { socket: 39 } })],
      ),
      threads: logOf([0, observed('before')], [9, observed('after', { threads: 35 })]),
      memory: logOf([0, observed('before')], [9, observed('after', { memoryBytes: 520e6 })]),
      'marks of a socket that has gone': logOf(
        [0, observed('before', { files: ['r/1'] })],
        [9, observed('after', { files: ['r/2', 'r/1.taken'] })],
      ),
      'a file': logOf([0, observed('before')], [9, observed('after', { files: ['a', 'b'] })]),
    },
  },
  'nothing-left': {
    keeps: { nothing: logOf([9, stopped(0)]) },
    breaks: { 'a file': logOf([9, stopped(0, ['a'])]) },
  },
  'exits-with-0': {
    keeps: { '0': logOf([9, stopped(0)]) },
    breaks: { '1': logOf([9, stopped(1)]), SIGKILL: logOf([9, stopped('SIGKILL')]) },
  },
  'primary-lives': {
    keeps: { 'it is ended': logOf([9, stopped(0)]) },
    breaks: { 'it ends by itself': logOf([9, { kind: 'died', program: 'demo', exit: 1 }]) },
  },
};
type Logs = Readonly<Record<string, readonly ChaosEvent[]>>;

test('every invariant has logs that keep it and logs that break it', () => {
  expect(Object.keys(CASES)).toEqual(INVARIANTS.map(({ id }) => id));
});

const each = (side: 'keeps' | 'breaks') =>
  Object.entries(CASES).flatMap(([id, logs]) =>
    Object.entries(logs[side]).map(([what, log]) => [id, what, log] as const),
  );

test.each(each('keeps'))('%s is kept: %s', (id, _what, log) => {
  expect(broken(log)).not.toContain(id);
});

test.each(each('breaks'))('%s is broken: %s', (id, _what, log) => {
  expect(broken(log)).toContain(id);
});

test('a breach about times is doubtful where the machine had no time for anybody; others are not', () => {
  const late = Array.from(
    { length: 5 },
    (_, second) => [second * 1000, { kind: 'late', ms: 400 }] as const,
  );
  const log = logOf(
    ...late,
    ...request({ id: 1, from: 0, to: 5000 }, { how: 'cut', code: 'ECONNRESET' }),
    ...request({ id: 2, from: 0, to: 5000 }, found({ differences: [line] })),
    ...request({ id: 3, from: 60_000, to: 60_001 }, { how: 'cut', code: 'ECONNRESET' }),
  );
  const doubts = checkInvariants(log, TERMS).map(({ invariant, key, isDoubtful }) => [
    invariant,
    key,
    isDoubtful,
  ]);
  expect(doubts).toEqual([
    ['complete-is-true', '2', false],
    ['cut-has-cause', '1', true],
    ['cut-has-cause', '3', false],
  ]);
});

test('a breach keeps its key in a longer log', () => {
  const log = logOf(
    [0, { kind: 'sent', id: 7, route: 'search', client: 'kept', target: '/x' }],
    [3600, { kind: 'phase', phase: 'calm' }],
  );
  const longer = [...log, ...logOf([4000, { kind: 'ended', id: 7, ending: found(), heldMs: 0 }])];
  const keys = [log, longer].map((events) =>
    INVARIANTS[0]?.check(timelineOf(events), TERMS).map(({ key }) => key),
  );
  expect(keys).toEqual([['7'], ['7']]);
});

test('recoveryMs() is the time of the last request that was not good', () => {
  const log = logOf(
    [1000, { kind: 'phase', phase: 'calm' }],
    ...request({ id: 1, from: 1500, to: 1600 }, answered(504)),
    ...request({ id: 2, from: 2500, to: 2600 }, found({ complete: false, missing: ['ojp'] })),
    ...request({ id: 3, from: 3500, to: 3600 }, found()),
  );
  expect(recoveryMs(timelineOf(log), TERMS)).toBe(1500);
});

test.each(each('breaks'))('%s is found while the log grows: %s', (id, _what, log) => {
  let sinceMs = 0;
  const found = log.flatMap((event, index) => {
    const breaches = checkInvariants(log.slice(0, index + 1), TERMS, sinceMs);
    sinceMs = event.atMs;
    return breaches.map(({ invariant }) => invariant);
  });
  expect(found).toContain(id);
});

test('a log is read a few times, however long it is', () => {
  let reads = 0;
  const ends = Array.from({ length: 2000 }, (_, id) =>
    request({ id, from: id * 10, to: id * 10 + 5000 }, { how: 'cut', code: 'ECONNRESET' }),
  );
  const log = logOf([0, { kind: 'phase', phase: 'faults' }], ...ends.flat()).map((event) => ({
    ...event,
    get kind() {
      reads += 1;
      return event.kind;
    },
  })) as ChaosEvent[];
  expect(checkInvariants(log, TERMS).length).toBeGreaterThan(1000);
  expect(reads).toBeLessThan(10 * log.length);
});
