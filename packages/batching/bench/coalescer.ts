import { strictEqual } from 'node:assert/strict';
import { interleaved, median, medianRatio } from '@ticketing/bench-kit';
import { type Contender, contenders, type Load } from './coalescer-peers.ts';

/** One contender's figures; `undefined` where it does not apply. */
export interface CoalescerRow {
  readonly name: string;
  readonly joinNs: number;
  readonly joinRatio: number;
  readonly missNs: number;
  readonly missRatio: number;
  readonly keyBytes: number;
  readonly waiterBytes: number;
}

const JOINS = 20_000;
const MISSES = 2000;
const HELD = 20_000;

/** Measures joining a load in flight, a lone miss, and memory, in interleaved rounds. */
export async function benchCoalescer(rounds: number): Promise<CoalescerRow[]> {
  for (const contender of contenders) await proveSharing(contender);
  const joins = contenders.map((): number[] => []);
  const misses = contenders.map((): number[] => []);
  const warmUps = Math.ceil(rounds / 5);
  for (const { item, place, round } of interleaved(contenders, { rounds, warmUps })) {
    // Not counted, for each: what the one before has left on the heap and in caches.
    await timeJoins(item);
    const join = await timeJoins(item);
    await timeMisses(item);
    const miss = await timeMisses(item);
    if (round < 0) continue;
    joins[place]?.push(join);
    misses[place]?.push(miss);
  }
  const rows: CoalescerRow[] = [];
  const [firstJoins = []] = joins;
  const [firstMisses = []] = misses;
  for (const [place, contender] of contenders.entries()) {
    const [ownJoins = [], ownMisses = []] = [joins[place], misses[place]];
    rows.push({
      name: contender.name,
      joinNs: median(ownJoins),
      joinRatio: medianRatio(ownJoins, firstJoins),
      missNs: median(ownMisses),
      missRatio: medianRatio(ownMisses, firstMisses),
      keyBytes: await keyBytes(contender),
      waiterBytes: await waiterBytes(contender),
    });
  }
  return rows;
}

/** Equal answers first: one load for equal keys, two for different ones, and each caller its own key's value. */
async function proveSharing({ name, create }: Contender): Promise<void> {
  let loads = 0;
  const get = create(async (key) => {
    loads += 1;
    return `value of ${key}`;
  });
  const answers = await Promise.all([get('a'), get('a'), get('b'), get('a')]);
  strictEqual(answers.join(), 'value of a,value of a,value of b,value of a', name);
  strictEqual(loads, 2, name);
}

/** A load that the bench settles. */
function held(): { load: Load; settle: () => void } {
  const settles: (() => void)[] = [];
  return {
    load: (key) => new Promise((resolve) => settles.push(() => resolve(key))),
    settle() {
      for (const each of settles.splice(0)) each();
    },
  };
}

async function timeJoins({ create }: Contender): Promise<number> {
  const { load, settle } = held();
  const get = create(load);
  const first = get('key');
  await tick();
  const start = process.hrtime.bigint();
  for (let index = 0; index < JOINS; index++) void get('key');
  const ns = Number(process.hrtime.bigint() - start) / JOINS;
  await tick();
  settle();
  await first;
  return ns;
}

async function timeMisses({ create, waits }: Contender): Promise<number> {
  const get = create(async (key) => key);
  const keys = Array.from({ length: waits ? 20 : MISSES }, (_, index) => `key ${index}`);
  const start = process.hrtime.bigint();
  for (const key of keys) await get(key);
  return Number(process.hrtime.bigint() - start) / keys.length;
}

async function keyBytes({ create }: Contender): Promise<number> {
  const { load, settle } = held();
  const keys = Array.from({ length: HELD }, (_, index) => `key ${index}`);
  // What the held loads take by themselves is not the contender's.
  const bare = held();
  const bareBefore = heapUsed();
  const bareKept = keys.map((key) => bare.load(key));
  const bareBytes = heapUsed() - bareBefore;
  bare.settle();
  await Promise.all(bareKept);
  const get = create(load);
  const before = heapUsed();
  const kept = keys.map((key) => get(key));
  await tick();
  const bytes = heapUsed() - before;
  settle();
  await Promise.all(kept);
  return Math.max(0, (bytes - bareBytes) / HELD);
}

async function waiterBytes({ create }: Contender): Promise<number> {
  const { load, settle } = held();
  const get = create(load);
  const kept: Promise<string>[] = new Array(HELD + 1).fill(get('key'));
  await tick();
  const before = heapUsed();
  for (let index = 1; index <= HELD; index++) kept[index] = get('key');
  await tick();
  const bytes = heapUsed() - before;
  settle();
  await Promise.all(kept);
  return Math.max(0, bytes / HELD);
}

function heapUsed(): number {
  const { gc } = globalThis;
  if (!gc) throw new Error('Cannot measure memory: start node with --expose-gc');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}
