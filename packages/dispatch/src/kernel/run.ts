import type { ForwardedRunOptions } from '../contract/dispatcher.ts';
import type { CallPlace } from './state/call.ts';
import type { PoolState } from './state/pool-state.ts';
import { accept } from './steps/accept.ts';
import { advance } from './steps/advance.ts';

/** Runs a task once; `place` tells for whom, and where if it is a part of a broadcast. */
export function run(
  pool: PoolState,
  task: string,
  input: unknown,
  options: ForwardedRunOptions | undefined,
  place: CallPlace,
): Promise<unknown> {
  const result = accept(pool, task, input, options, place);
  advance(pool);
  return result;
}
