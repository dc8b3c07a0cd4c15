import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process grew by while it read, in bytes. */
export interface Growth {
  /** That it read. */
  readonly read: number;
  /** Of its memory, and of what JavaScript holds, at most, each after garbage collection. */
  readonly rss: number;
  readonly held: number;
}

/** Items between two looks at the memory. */
const LOOK_EVERY = 32;

/** Reads byte arrays, waits for `waitMs` after each, and measures how much memory that takes. */
export async function readSlowly(
  items: AsyncIterable<Uint8Array>,
  waitMs: number,
): Promise<Growth> {
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
