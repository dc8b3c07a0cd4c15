import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createApplicantQueue, eventLoop, type Refusal } from '../src/applicant-queue.ts';
import { createInFlightLimit } from '../src/in-flight-limit.ts';

/** A queue on a clock and an event loop of the test's own. */
function stage({
  limit = 2,
  deadlineMs = 600,
  costMs = 0,
}: {
  readonly limit?: number | 'auto';
  readonly deadlineMs?: number;
  readonly costMs?: number;
} = {}) {
  const turns: (() => void)[] = [];
  const log: string[] = [];
  const underWay = new Set<string>();
  let now = 0;
  let lateMs = deadlineMs / 20;
  const admission = createApplicantQueue({
    limit: createInFlightLimit(limit),
    deadlineMs,
    isUnderWay: (key) => underWay.has(key),
    now: () => now,
    lateMs: () => lateMs,
    soon: (callback) => turns.push(callback),
    settled: (callback) => callback(),
  });
  return {
    admission,
    log,
    underWay,
    hold(isLate: boolean) {
      lateMs = deadlineMs / 20 + (isLate ? 1 : 0);
    },
    pass(ms: number) {
      now += ms;
    },
    apply: (
      name: string,
      { key, waitedMs = 0 }: { key?: string | undefined; waitedMs?: number } = {},
    ) =>
      admission.apply({
        arrivedAt: now - waitedMs,
        key,
        begin() {
          log.push(`begin ${name}`);
          if (key !== undefined) underWay.add(key);
          now += costMs;
        },
        refuse: (reason: Refusal) => log.push(`${reason} ${name}`),
      }),
    /** One turn of the event loop; false if there is nothing to do. */
    turn() {
      const turn = turns.shift();
      turn?.();
      return turn !== undefined;
    },
    /** Turns until there is nothing to do. */
    settle() {
      while (this.turn());
    },
  };
}

test('nothing is begun in the turn in which it comes', () => {
  const { apply, log, ...loop } = stage();
  apply('a');
  expect(log).toEqual([]);
  loop.settle();
  expect(log).toEqual(['begin a']);
});

test('no more than the limit are in flight; the others follow in their order, as answers end', () => {
  const { apply, log, admission, ...loop } = stage({ limit: 2 });
  const ends = ['a', 'b', 'c', 'd'].map((name) => apply(name));
  loop.settle();
  expect(log).toEqual(['begin a', 'begin b']);
  expect(admission.stats()).toMatchObject({ limit: 2, inFlight: 2, waiting: 2, admitted: 2 });
  ends[1]?.();
  ends[1]?.();
  loop.settle();
  expect(log).toEqual(['begin a', 'begin b', 'begin c']);
  ends[0]?.();
  ends[2]?.();
  ends[3]?.();
  loop.settle();
  expect(admission.stats()).toMatchObject({ inFlight: 0, waiting: 0, admitted: 3, left: 1 });
});

test('what takes long is begun once a turn, and then all that comes is seen first', () => {
  const { apply, log, turn } = stage({ limit: 9, costMs: 5 });
  for (const name of ['a', 'b', 'c']) apply(name);
  turn();
  expect(log).toEqual(['begin a']);
  apply('d');
  turn();
  apply('e');
  turn();
  expect(log).toEqual(['begin a']);
  turn();
  expect(log).toEqual(['begin a', 'begin b']);
});

test('what a handler does after promises of its hooks counts for the turn in which it is begun', async () => {
  const log: string[] = [];
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      const hooks = async (): Promise<void> => {
        for (let hook = 0; hook < 10; hook++) await undefined;
        log.push('handler');
      };
      void hooks();
      eventLoop.settled(() => log.push('settled'));
      eventLoop.soon(() => {
        log.push('turn');
        resolve();
      });
    });
  });
  expect(log).toEqual(['handler', 'settled', 'turn']);
});

test.each([
  ['some turns', { turnMs: 50, deadlineMs: 6000, isNew: false }, 17],
  ['the work itself', { turnMs: 0.1, deadlineMs: 600, isNew: false }, 51],
  [
    'a twentieth of the deadline, in which they may be a burst',
    { turnMs: 0.1, deadlineMs: 600, isNew: true },
    250,
  ],
])(
  'connections that come in every turn hold nothing up for longer than %s',
  (_, { turnMs, deadlineMs, isNew }, most) => {
    const { admission, apply, log, pass, turn } = stage({ limit: 9, costMs: 5, deadlineMs });
    if (!isNew) apply('z', { waitedMs: deadlineMs });
    for (const name of ['a', 'b']) apply(name);
    turn();
    log.length = 0;
    let turns = 0;
    while (log.length === 0) {
      admission.connected();
      pass(turnMs);
      turn();
      turns += 1;
    }
    expect(log).toEqual(['begin b']);
    expect(turns).toBe(most);
  },
);

test('of a burst no more than half of the requests that may wait are read before its work goes on', () => {
  for (const [waiting, most] of [
    [499, 250],
    [500, 51],
  ] as const) {
    const { admission, apply, log, pass, turn } = stage({ limit: 9, costMs: 5, deadlineMs: 600 });
    for (let index = 0; index <= waiting; index++) apply(String(index));
    turn();
    expect(admission.stats().waiting).toBe(waiting);
    let turns = 0;
    while (log.length < 2) {
      admission.connected();
      pass(0.1);
      turn();
      turns += 1;
    }
    expect(turns).toBe(most);
  }
});

test('requests that wait begin when the event loop keeps up again, though none leaves', () => {
  const { admission, apply, log, hold, ...loop } = stage({ limit: 'auto', deadlineMs: 2000 });
  hold(true);
  for (let index = 0; index < 20; index++) apply(String(index));
  loop.settle();
  expect(log).toHaveLength(16);
  hold(false);
  admission.look();
  loop.settle();
  expect(log).toHaveLength(20);
});

test('the limit does not grow in a turn that brought more: all that has come is read first', () => {
  const { admission, apply, log, turn } = stage({ limit: 'auto', deadlineMs: 2000 });
  for (let index = 0; index < 20; index++) apply(String(index));
  turn();
  expect(log).toHaveLength(16);
  apply('more');
  turn();
  expect(log).toHaveLength(16);
  turn();
  expect(log).toHaveLength(21);
  expect(admission.stats()).toMatchObject({ limit: 21, inFlight: 21 });
});

test.each([
  ['all that its work leaves of the deadline', false, 35, 45],
  ['a third of the deadline, if others were refused before', true, 70, 85],
])('a wave is refused as far as it could not be begun within %s', (_, isOverload, least, most) => {
  const { admission, apply, log, ...loop } = stage({ limit: 1, deadlineMs: 600, costMs: 10 });
  // It learns that ten milliseconds pass from one to the next.
  for (let round = 0; round < 100; round++) {
    apply('first')();
    const ends = [apply('x'), apply('y')];
    loop.settle();
    ends[0]?.();
    loop.settle();
    ends[1]?.();
  }
  if (isOverload) apply('z', { waitedMs: 600 });
  log.length = 0;
  for (let index = 0; index < 100; index++) apply(String(index));
  const refused = log.filter((line) => line.startsWith('busy'));
  expect(refused.length).toBeGreaterThan(least);
  expect(refused.length).toBeLessThan(most);
  expect(admission.stats().waiting).toBe(100 - refused.length);
});

test.each([
  ['of a burst waits for all that the work leaves of the deadline', { afterMs: 29 }, 550],
  ['that came later waits for half of the deadline', { afterMs: 30 }, 300],
  ['that came after a refusal waits for half of the deadline', { isOverload: true }, 300],
])(
  'one %s',
  (_, {
    afterMs = 0,
    isOverload = false,
  }: { afterMs?: number; isOverload?: boolean }, longestMs) => {
    const { admission, apply, log, pass, ...loop } = stage({ limit: 1, deadlineMs: 600 });
    const first = apply('first');
    loop.settle();
    // Its work takes 50 ms.
    pass(50);
    first();
    apply('a');
    loop.settle();
    if (isOverload) apply('z', { waitedMs: 600 });
    // From now on the queue is not empty.
    const waiting = apply('b');
    pass(afterMs);
    apply('c');
    waiting();
    pass(longestMs - 1);
    admission.look();
    expect(log).not.toContain('late c');
    pass(1);
    admission.look();
    expect(log).toContain('late c');
  },
);

test('one that came later than a burst is refused if it could not begin within a third of the deadline', () => {
  for (const afterMs of [29, 30]) {
    const { admission, apply, log, pass, ...loop } = stage({
      limit: 1,
      deadlineMs: 600,
      costMs: 10,
    });
    for (let round = 0; round < 100; round++) {
      apply('first')();
      const ends = [apply('x'), apply('y')];
      loop.settle();
      ends[0]?.();
      loop.settle();
      ends[1]?.();
    }
    log.length = 0;
    for (let index = 0; index < 30; index++) apply(String(index));
    pass(afterMs);
    apply('later');
    expect(log).toEqual(afterMs === 29 ? [] : ['busy later']);
    expect(admission.stats().refused.busy).toBe(afterMs === 29 ? 0 : 1);
  }
});

test('a handler that throws does not hold up waiting requests', () => {
  const { admission, apply, log, ...loop } = stage({ limit: 9, costMs: 1 });
  const end = admission.apply({
    arrivedAt: 0,
    begin() {
      throw new Error('thrown by the handler');
    },
    refuse: () => {},
  });
  apply('b');
  expect(() => loop.settle()).toThrow('thrown by the handler');
  loop.settle();
  expect(log).toEqual(['begin b']);
  end();
  expect(admission.stats()).toMatchObject({ inFlight: 1, waiting: 0, admitted: 2 });
});

test('a request that waits longer than later ones may does not keep them from being refused', () => {
  const { admission, apply, log, pass, ...loop } = stage({ limit: 1, deadlineMs: 600 });
  const first = apply('first');
  loop.settle();
  pass(50);
  first();
  apply('a');
  loop.settle();
  apply('b');
  apply('z', { waitedMs: 600 });
  apply('c', { waitedMs: 10 });
  pass(299);
  admission.look();
  expect(log).toEqual(['begin first', 'begin a', 'late z', 'late c']);
  expect(admission.stats().waiting).toBe(1);
});

test.each([
  ['grows at once for a burst, fourfold until the next sample', false, false, 64],
  ['stays while the event loop is late', true, false, 16],
  ['stays while others are refused', false, true, 16],
])('the limit %s', (_, isHeld, isOverload, begun) => {
  const { admission, apply, log, hold, ...loop } = stage({ limit: 'auto', deadlineMs: 2000 });
  hold(isHeld);
  if (isOverload) apply('z', { waitedMs: 2000 });
  for (let index = 0; index < 100; index++) apply(String(index));
  loop.settle();
  expect(log.filter((line) => line.startsWith('begin'))).toHaveLength(begun);
  expect(admission.stats()).toMatchObject({ limit: begun, inFlight: begun });
});

test('a burst of 100 different requests of 50 ms is answered in time, where all together take one second and more', () => {
  const deadlineMs = 2000;
  // Each takes 10 ms of the event loop, and 50 ms in which it waits.
  const { admission, apply, log, pass, ...loop } = stage({
    limit: 16,
    deadlineMs,
    costMs: 10,
  });
  const ends = Array.from({ length: 100 }, (_, index) => apply(String(index)));
  let ended = 0;
  for (let turns = 0; ended < ends.length && turns < 1000; turns++) {
    loop.turn();
    admission.look();
    const begun = log.filter((line) => line.startsWith('begin')).length;
    // One that was begun waits while five others begin.
    if (begun - ended > 5 || begun === ends.length) ends[ended++]?.();
    else if (begun === ended) pass(50);
  }
  expect(log).toEqual(ends.map((_, index) => `begin ${index}`));
  expect(admission.stats().refused).toEqual({ busy: 0, late: 0 });
});

test('at most 1000 wait', () => {
  const { admission, apply, log } = stage({ limit: 1 });
  for (let index = 0; index < 1001; index++) apply(String(index));
  expect(log).toEqual(['busy 1000']);
  expect(admission.stats()).toMatchObject({ waiting: 1000, refused: { busy: 1, late: 0 } });
});

test('equal requests that come after the first has begun wait in a place of their own', () => {
  const { admission, apply, underWay, ...loop } = stage({ limit: 2 });
  apply('a', { key: 'k' });
  loop.settle();
  underWay.clear();
  apply('b', { key: 'k' });
  expect(admission.stats()).toMatchObject({ inFlight: 1, waiting: 1, joined: 0 });
  loop.settle();
  expect(admission.stats()).toMatchObject({ inFlight: 2, waiting: 0, joined: 0 });
});

test('look() returns the most that were in flight since the last call', () => {
  const { admission, apply, ...loop } = stage({ limit: 3 });
  const ends = ['a', 'b', 'c'].map((name) => apply(name));
  loop.settle();
  ends[0]?.();
  ends[1]?.();
  expect([admission.look(), admission.look()]).toEqual([3, 1]);
});

test('an idle server refuses no request because earlier ones took long', () => {
  const { apply, log, pass, ...loop } = stage({ limit: 1 });
  const ends = ['a', 'b', 'c'].map((name) => apply(name));
  loop.settle();
  pass(290);
  ends[0]?.();
  loop.settle();
  pass(5000);
  for (const end of ends) end();
  loop.settle();
  log.length = 0;
  const end = apply('d', { waitedMs: 590 });
  loop.settle();
  end();
  expect(log).toEqual(['begin d']);
});

test('a time without a waiting request is no interval between two requests', () => {
  const { apply, log, pass, ...loop } = stage({ limit: 1 });
  const [first, leave] = ['a', 'b'].map((name) => apply(name));
  loop.settle();
  leave?.();
  pass(10_000);
  first?.();
  for (const name of ['d', 'e']) apply(name);
  loop.settle();
  apply('f');
  expect(log).toEqual(['begin a', 'begin d']);
});

test('a request whose deadline has passed is never begun', () => {
  const { apply, log, pass, ...loop } = stage({ limit: 9, deadlineMs: 600 });
  apply('a', { waitedMs: 600 });
  expect(log).toEqual(['late a']);
  apply('b');
  pass(600);
  loop.settle();
  expect(log).toEqual(['late a', 'late b']);
});

test('one that waits for half of the deadline is refused, while others are in flight', () => {
  const { admission, apply, log, pass, ...loop } = stage({ limit: 1, deadlineMs: 600 });
  apply('a');
  loop.settle();
  apply('b');
  pass(100);
  apply('c');
  pass(200);
  expect(admission.look()).toBe(1);
  expect(log).toEqual(['begin a', 'late b']);
});

test('equal requests share a place, and join work under way without one', () => {
  const { admission, apply, log, underWay, ...loop } = stage({ limit: 1 });
  const first = apply('a', { key: 'k' });
  const ends = [apply('b', { key: 'k' }), apply('c', { key: 'k' })];
  const other = apply('other', { key: 'l' });
  loop.settle();
  expect(log).toEqual(['begin a', 'begin b', 'begin c']);
  apply('d', { key: 'k', waitedMs: 300 })();
  expect(log.at(-1)).toBe('begin d');
  expect(admission.stats()).toMatchObject({ inFlight: 1, waiting: 1, joined: 3, admitted: 4 });
  // The place is theirs until the last of them has its answer.
  first();
  ends[0]?.();
  loop.settle();
  expect(log.at(-1)).toBe('begin d');
  ends[1]?.();
  underWay.clear();
  loop.settle();
  expect(log.at(-1)).toBe('begin other');
  other();
  expect(admission.stats()).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('the first of equal requests leaves while they wait: the others stay; the last one leaves: none is begun', () => {
  const { admission, apply, log, ...loop } = stage({ limit: 1 });
  const busy = apply('busy');
  loop.settle();
  const [one, two] = [apply('a', { key: 'k' }), apply('b', { key: 'k' })];
  const [three, four] = [apply('c', { key: 'l' }), apply('d', { key: 'l' })];
  one();
  three();
  four();
  busy();
  loop.settle();
  expect(log).toEqual(['begin busy', 'begin b']);
  const five = apply('e', { key: 'l' });
  two();
  loop.settle();
  expect(log).toEqual(['begin busy', 'begin b', 'begin e']);
  five();
  expect(admission.stats()).toMatchObject({ inFlight: 0, waiting: 0, left: 3 });
});

test('whatever happens: never above the limit, each is begun or refused once, or leaves, and at the end all is free', () => {
  const action = fc.oneof(
    fc.record({
      kind: fc.constant('apply' as const),
      key: fc.option(fc.constantFrom('k', 'l'), { nil: undefined }),
      waitedMs: fc.integer({ min: 0, max: 700 }),
    }),
    fc.record({ kind: fc.constant('end' as const), which: fc.nat({ max: 50 }) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 400 }) }),
    fc.record({ kind: fc.constantFrom('turn' as const, 'look' as const) }),
  );
  fc.assert(
    fc.property(
      fc.array(action, { maxLength: 80 }),
      fc.integer({ min: 1, max: 4 }),
      (actions, limit) => {
        const { admission, apply, log, underWay, ...loop } = stage({ limit });
        const ends: (() => void)[] = [];
        for (const step of actions) {
          if (step.kind === 'apply') {
            // Work of a key ends with its clients here: nothing stays under way.
            underWay.clear();
            ends.push(apply(String(ends.length), step));
          } else if (step.kind === 'end') ends[step.which]?.();
          else if (step.kind === 'pass') loop.pass(step.ms);
          else if (step.kind === 'turn') loop.turn();
          else admission.look();
          expect(admission.stats().inFlight).toBeLessThanOrEqual(limit);
        }
        loop.settle();
        for (const end of ends) {
          end();
          loop.settle();
        }
        const settled = log.map((line) => line.split(' ')[1]);
        expect(new Set(settled).size).toBe(settled.length);
        const { inFlight, waiting, admitted, refused, left } = admission.stats();
        expect({ inFlight, waiting }).toEqual({ inFlight: 0, waiting: 0 });
        expect(admitted + refused.busy + refused.late + left).toBe(ends.length);
        // Whoever comes now finds an idle server.
        log.length = 0;
        apply('last');
        loop.settle();
        expect(log).toEqual(['begin last']);
      },
    ),
  );
});
