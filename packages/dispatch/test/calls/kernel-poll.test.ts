import { usableCores } from '@ticketing/kit';
import { afterEach, expect, test, vi } from 'vitest';
import { POLL_TURNS } from '../../src/busy-poll.ts';
import { checkPoolsAfterEach, createPool, streamOf, turn, watch } from '../kernel-fixture.ts';
import { moduleOf, readyRig } from '../worker/serve-tasks-fixture.ts';

checkPoolsAfterEach();
afterEach(() => vi.restoreAllMocks());

const spare = usableCores() - 1;

/** The platform's, also while a test counts the turns that others ask for. */
const { setImmediate: afterTurn } = globalThis;
const aTurn = (): Promise<void> => new Promise((resolve) => afterTurn(resolve));

/** Latest frames about polling, in the order of the workers' slots. */
function toldBy({ workers }: { workers: readonly { frames: readonly { kind: string }[] }[] }) {
  return workers.map(({ frames }) => frames.filter(({ kind }) => kind === 'poll'));
}

test('workers poll for calls while as many cores are left as have calls, and one more', async () => {
  const { run, ready, transport } = createPool({ max: spare + 1, window: 1 }, { polls: true });
  await ready();
  for (let call = 0; call <= spare; call += 1) {
    run(call);
    await turn();
  }
  const on = Array.from({ length: spare }, () => [{ kind: 'poll', on: true }]);
  expect(toldBy(transport)).toEqual([...on, []]);
  for (const worker of transport.workers) worker.answer(1);
  await turn();
});

test('after more workers than that had calls, polling goes on once it was not so for 64 messages', async () => {
  const { run, ready, transport } = createPool({ max: spare + 1, window: 1 }, { polls: true });
  await ready();
  for (let call = 0; call <= spare; call += 1) run(call);
  await turn();
  for (const worker of transport.workers) worker.answer(1);
  await turn();
  // What each of the next calls found: whether its worker polls.
  const found: boolean[] = [];
  for (let call = 0; call < 70; call += 1) {
    run(call);
    await turn();
    const [worker] = transport.workers.filter(({ open }) => open.length > 0);
    const told = worker?.frames.findLast((frame) => frame.kind === 'poll');
    found.push(told?.kind === 'poll' && told.on);
    worker?.answer(worker.open[0]?.seq ?? 0);
    await turn();
  }
  expect(found.slice(0, 60 - spare)).not.toContain(true);
  expect(found.at(-1)).toBe(spare > 0);
});

test('a worker gets one frame to poll, and one to stop polling', async () => {
  const { run, ready, transport } = createPool({ max: spare + 1, window: 2 }, { polls: true });
  await ready();
  for (let call = 1; call <= 3; call += 1) {
    run(call);
    await turn();
    transport.at(0).answer(call);
    await turn();
  }
  const once = spare > 0 ? [{ kind: 'poll', on: true }] : [];
  expect(toldBy(transport)[0]).toEqual(once);
  for (let call = 0; call <= spare + 1; call += 1) run(call);
  await turn();
  expect(toldBy(transport)[0]).toEqual(spare > 0 ? [...once, { kind: 'poll', on: false }] : []);
  for (const worker of transport.workers) for (const { seq } of worker.open) worker.answer(seq);
  await turn();
});

test('where answers come late this thread and the worker stop polling', async () => {
  const { run, ready, transport } = createPool({}, { polls: true });
  await ready();
  for (let call = 1; call <= 6; call += 1) {
    run(call);
    for (let turns = 0; turns < POLL_TURNS + 10; turns += 1) await new Promise(setImmediate);
    transport.at(0).answer(call);
    await turn();
  }
  const told = [
    { kind: 'poll', on: true },
    { kind: 'poll', on: false },
  ];
  expect(toldBy(transport)).toEqual([spare > 0 ? told : []]);
});

test.each([
  ['busyPoll: false', { busyPoll: false }, { polls: true }],
  ['a transport that does not poll', {}, {}],
])('%s: neither side polls', async (_name, options, transportOptions) => {
  // Before the pool is made, which takes it then.
  const turns = vi.spyOn(globalThis, 'setImmediate');
  const { run, ready, transport } = createPool(options, transportOptions);
  await ready();
  turns.mockClear();
  run('a');
  for (let count = 0; count < 20; count += 1) await aTurn();
  expect(turns.mock.calls.length).toBeLessThan(10);
  expect(toldBy(transport)).toEqual([[]]);
  transport.at(0).answer(1);
  await turn();
});

test('for the items of a stream neither side polls, for a call beside it both do, and this one after credit', async () => {
  const turns = vi.spyOn(globalThis, 'setImmediate');
  const { dispatcher, run, ready, transport } = createPool({}, { polls: true });
  await ready();
  turns.mockClear();
  const items = streamOf(dispatcher);
  const first = watch(items.next());
  await turn();
  const worker = transport.at(0);
  worker.start();
  worker.emit({ kind: 'item', seq: 1, value: 'a' });
  for (let count = 0; count < 20; count += 1) await aTurn();
  expect(first.value).toEqual({ done: false, value: 'a' });
  expect(turns.mock.calls.length).toBeLessThan(10);
  expect(toldBy(transport)).toEqual([[]]);
  run('b');
  for (let count = 0; count < 20; count += 1) await aTurn();
  if (spare > 0) expect(turns.mock.calls.length).toBeGreaterThan(15);
  expect(toldBy(transport)).toEqual([spare > 0 ? [{ kind: 'poll', on: true }] : []]);
  worker.answer(2);
  await turn();
  // Half of its window: the worker may have waited for more credit.
  for (let count = 2; count <= 8; count += 1) {
    worker.emit({ kind: 'item', seq: 1, value: 'a' });
    await items.next();
  }
  await turn();
  expect(worker.frames.filter(({ kind }) => kind === 'credit')).toMatchObject([{ items: 8 }]);
  turns.mockClear();
  for (let count = 0; count < 20; count += 1) await aTurn();
  if (spare > 0) expect(turns.mock.calls.length).toBeGreaterThan(15);
  worker.answer(1);
  await turn();
  // The stream has ended: calls alone are in flight again.
  run('c');
  turns.mockClear();
  for (let count = 0; count < 20; count += 1) await aTurn();
  if (spare > 0) expect(turns.mock.calls.length).toBeGreaterThan(15);
  worker.answer(3);
  await turn();
});

/** Number of turns of a worker's event loop without a message, once it has answered a call. */
async function turnsAfter(on: boolean | undefined): Promise<number> {
  const turns = vi.spyOn(globalThis, 'setImmediate');
  const rig = await readyRig(moduleOf('{ echo: (value) => value }'));
  if (on !== undefined) rig.send({ kind: 'poll', on: true });
  if (on === false) rig.send({ kind: 'poll', on });
  turns.mockClear();
  rig.send({
    kind: 'run',
    ...{ seq: 1, id: 1, task: 'echo', input: 1, attempt: 1, announce: false },
    ...{ deadline: undefined, metadata: undefined, transfer: undefined },
  });
  await rig.until((log) => log.length === 2);
  let seen = -1;
  // Until nothing turns.
  while (seen < turns.mock.calls.length) {
    seen = turns.mock.calls.length;
    for (let count = 0; count < 5; count += 1) await aTurn();
  }
  return seen;
}

test('an idle worker polls for a moment if a frame asked it to', async () => {
  expect(await turnsAfter(true)).toBeGreaterThanOrEqual(POLL_TURNS);
  vi.restoreAllMocks();
  expect(await turnsAfter(false)).toBeLessThan(POLL_TURNS / 2);
  vi.restoreAllMocks();
  expect(await turnsAfter(undefined)).toBeLessThan(POLL_TURNS / 2);
});
