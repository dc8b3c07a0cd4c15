import { interleaved, median } from '@ticketing/bench-kit';
import type { GrowthPoint } from './exponent.ts';
import type { GrowthContender, Subject } from './subject.ts';

export interface GrowthOptions {
  readonly rounds: number;
  /** Work of one measurement is repeated until it took so long. */
  readonly sliceMs: number;
  /** A contender whose work takes longer is not measured at larger sizes. */
  readonly mostMs: number;
}

/** Times of a contender. */
export interface ContenderGrowth {
  readonly name: string;
  readonly points: readonly GrowthPoint[];
}

/** Measures a subject at each size, the contenders in turns. */
export async function measureGrowth(
  subject: Subject,
  { rounds, sliceMs, mostMs }: GrowthOptions,
): Promise<readonly ContenderGrowth[]> {
  const points = new Map(subject.contenders.map(({ name }): [string, GrowthPoint[]] => [name, []]));
  let left: readonly GrowthContender[] = subject.contenders;
  for (const size of subject.sizes) {
    const title = `${subject.name}, ${size.toLocaleString('en')}`;
    const taken = await measureSize(left, size, { rounds, sliceMs, title });
    for (const [name, point] of taken) points.get(name)?.push(point);
    left = left.filter(({ name }) => (taken.get(name)?.ms ?? 0) < mostMs);
  }
  return subject.contenders.map(({ name }) => ({ name, points: points.get(name) ?? [] }));
}

async function measureSize(
  contenders: readonly GrowthContender[],
  size: number,
  options: { readonly rounds: number; readonly sliceMs: number; readonly title: string },
): Promise<ReadonlyMap<string, GrowthPoint>> {
  const { rounds, sliceMs, title } = options;
  const ready = [];
  for (const { name, prepare } of contenders) {
    ready.push({ name, prepared: await prepare(size), taken: [] as number[] });
  }
  try {
    for (const { item, round } of interleaved(ready, { rounds, title })) {
      const ms = await timeOf(item.prepared.work, sliceMs);
      if (round >= 0) item.taken.push(ms);
    }
    return new Map(
      ready.map(({ name, prepared, taken }) => {
        const bytes = prepared.bytes?.();
        return [name, { size, ms: median(taken), ...(bytes !== undefined && { bytes }) }];
      }),
    );
  } finally {
    for (const { prepared } of ready) await prepared.end?.();
  }
}

/** Returns the milliseconds of one piece of work, repeated for a slice. */
async function timeOf(work: () => unknown, sliceMs: number): Promise<number> {
  const start = performance.now();
  let count = 0;
  let ms = 0;
  while (count === 0 || ms < sliceMs) {
    const result = work();
    if (result instanceof Promise) await result;
    count += 1;
    ms = performance.now() - start;
  }
  return ms / count;
}
