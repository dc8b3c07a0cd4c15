import assert from 'node:assert/strict';
import { type Contender, type Measured, measureSlices, type SliceOptions } from './slices.ts';
import { burn } from './work.ts';

/** Pool that runs tasks, as a bench uses it. */
export interface Pool {
  /** Runs a task of `work.ts`, or `pass`, which gives back the buffer that it got. */
  run(task: string, input: unknown, transfer?: ArrayBuffer[]): Promise<unknown>;
  /** Resolves when its workers are gone. */
  close(): Promise<unknown>;
}

/** A way to have tasks run. */
export interface PoolKind {
  readonly name: string;
  create(workers: number): Pool | Promise<Pool>;
}

/** Returns the same pool by tasks that `json` marks: values are JSON, as with the peers, and what that loses is lost. */
export function markedKind({ name, create }: PoolKind): PoolKind {
  const names: Readonly<Record<string, string>> = { echo: 'echoJson' };
  return {
    name: `${name}, \`json(fn)\``,
    async create(workers) {
      const pool = await create(workers);
      return {
        ...pool,
        run: (task, input, transfer) => pool.run(names[task] ?? task, input, transfer),
      };
    },
  };
}

/** A pool of each kind, alive together. */
export interface Pools {
  /** @throws AssertionError if one of them gives another answer than the function itself */
  measure(task: 'echo' | 'burn', input: unknown, options: SliceOptions): Promise<Measured[]>;
  /** Moves buffers of so many bytes there and back. @throws AssertionError as above */
  measurePassing(bytes: number, options: SliceOptions): Promise<Measured[]>;
  /** Runs one task in one of the pools. */
  run(place: number, task: string, input: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens a pool of each kind, one after the other. */
export async function openPools(kinds: readonly PoolKind[], workers: number): Promise<Pools> {
  const pools: { readonly name: string; readonly pool: Pool }[] = [];
  for (const { name, create } of kinds) pools.push({ name, pool: await create(workers) });
  return {
    async measure(task, input, options) {
      const expected = task === 'echo' ? input : burn(input as number);
      const contenders: Contender[] = [];
      for (const { name, pool } of pools) {
        assert.deepEqual(await pool.run(task, input), expected, name);
        const run = () => pool.run(task, input);
        contenders.push({ name, run, workerCpuUs: workers === 1 ? cpuOf(pool) : undefined });
      }
      return measureSlices(contenders, options);
    },
    async measurePassing(bytes, options) {
      const expected = new Uint8Array(bytes).fill(7);
      const contenders: Contender[] = [];
      for (const { name, pool } of pools) {
        const { buffer } = expected.slice();
        const got = (await pool.run('pass', buffer, [buffer])) as ArrayBuffer;
        assert.deepEqual(new Uint8Array(got), expected, name);
        contenders.push({ name, run: passing(pool, bytes) });
      }
      return measureSlices(contenders, options);
    },
    run: (place, task, input) =>
      pools[place]?.pool.run(task, input) ?? Promise.reject(new RangeError(`no pool ${place}`)),
    async close() {
      for (const { pool } of pools) await pool.close();
    },
  };
}

function cpuOf(pool: Pool): () => Promise<number> {
  return async () => (await pool.run('threadCpuUs', null)) as number;
}

/** Sends the returned buffers again, so that the time does not include making buffers. */
function passing(pool: Pool, bytes: number): () => Promise<void> {
  const here: ArrayBuffer[] = [];
  return async () => {
    const buffer = here.pop() ?? new ArrayBuffer(bytes);
    here.push((await pool.run('pass', buffer, [buffer])) as ArrayBuffer);
  };
}
