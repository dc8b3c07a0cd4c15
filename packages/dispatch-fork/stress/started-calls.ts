import { readFileSync } from 'node:fs';

/** Calls that were started, by the lines that the tasks wrote. */
export interface StartedCalls {
  /** Number of starts of each call, by the caller's number. */
  times(call: number): number;
  /** Starts in all. */
  readonly total: number;
  /** Calls of which an attempt was started twice, by `call attempt`. */
  readonly repeated: readonly string[];
}

/** Reads the file that tasks append to. @throws Error for a line that is torn */
export function readStartedCalls(path: string): StartedCalls {
  const times = new Map<number, number>();
  const seen = new Set<string>();
  const repeated: string[] = [];
  let total = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const [, call] = /^(\d+) \d+$/.exec(line) ?? [];
    if (call === undefined)
      throw new Error(`Cannot read starts: a line must be "call attempt", got ${line}`);
    if (seen.has(line)) repeated.push(line);
    seen.add(line);
    times.set(Number(call), (times.get(Number(call)) ?? 0) + 1);
    total += 1;
  }
  return { times: (call) => times.get(call) ?? 0, total, repeated };
}
