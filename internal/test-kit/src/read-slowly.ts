import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Growth of this process while it read, in bytes. */
interface Growth {
  /** Bytes that the client read. */
  readonly read: number;
  /** Most growth of the process's memory, and of what JavaScript holds, each after garbage collection. */
  readonly rss: number;
  readonly held: number;
}

const MB = 1024 * 1024;
const READ_MB = 1024;

/** A dispatcher whose task `megabytes` streams as many megabytes as its input asks for. */
interface Megabytes {
  stream(task: 'megabytes', count: number): AsyncIterable<unknown>;
  close(): Promise<unknown>;
}

/** Reads 1 GB from a dispatcher slowly, closes it, and writes to standard output how much memory that took. */
export async function reportSlowReading(dispatcher: Megabytes): Promise<void> {
  // Loads and compiles everything, so that its memory is not counted.
  for await (const _ of dispatcher.stream('megabytes', 4));
  const growth = await readSlowly(dispatcher.stream('megabytes', READ_MB), 3);
  await dispatcher.close();
  process.stdout.write(JSON.stringify(growth));
}

/**
 * Runs a program that calls `reportSlowReading`, with these arguments.
 *
 * @throws AssertionError if it did not read everything, or held 64 MB, or grew by 160 MB
 */
export async function checkSlowReading(program: URL, argv: readonly string[] = []): Promise<void> {
  const args = ['--conditions=@ticketing/source', fileURLToPath(program), ...argv];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { read, rss, held } = JSON.parse(stdout) as Growth;
  assert.equal(read, READ_MB * MB);
  assert.ok(held < 64 * MB, `JavaScript held ${held} bytes`);
  // This includes what the allocator keeps of freed buffers.
  assert.ok(rss < 160 * MB, `the process grew by ${rss} bytes`);
}

/** Items between two looks at the memory. */
const LOOK_EVERY = 32;

/** Reads byte arrays, waits for `waitMs` after each, and measures how much memory that takes. */
async function readSlowly(items: AsyncIterable<unknown>, waitMs: number): Promise<Growth> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const measure = async (): Promise<{ rss: number; held: number }> => {
    collect();
    // Memory of buffers is given back by other threads, after the collection.
    await wait(1);
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, held: heapUsed + external };
  };
  const start = await measure();
  const growth = { read: 0, rss: 0, held: 0 };
  let count = 0;
  for await (const item of items) {
    assert.ok(item instanceof Uint8Array);
    growth.read += item.byteLength;
    count += 1;
    await wait(waitMs);
    if (count % LOOK_EVERY !== 0) continue;
    const { rss, held } = await measure();
    growth.rss = Math.max(growth.rss, rss - start.rss);
    growth.held = Math.max(growth.held, held - start.held);
  }
  return growth;
}
