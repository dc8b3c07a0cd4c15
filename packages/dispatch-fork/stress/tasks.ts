// What the workers under fire run. Each task leaves a line of its start before it does anything else.
import { pbkdf2Sync } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { defineTasks, type TaskContext } from '@ticketing/dispatch';

export interface Shot {
  /** The caller's number of the call. */
  readonly call: number;
  /** Milliseconds to compute, or to wait. */
  readonly ms: number;
}

// Appending is atomic, and what was written outlives the process.
const starts = openSync(process.env['STRESS_STARTS'] ?? '/dev/null', 'a');

function noteStart({ call }: Shot, { attempt }: TaskContext): void {
  writeSync(starts, `${call} ${attempt}\n`);
}

const tasks = {
  compute(shot: Shot, context: TaskContext) {
    noteStart(shot, context);
    const end = performance.now() + shot.ms;
    while (performance.now() < end) pbkdf2Sync('secret', 'salt', 500, 4, 'sha256');
    return shot.call;
  },
  async wait(shot: Shot, context: TaskContext) {
    noteStart(shot, context);
    await setTimeout(shot.ms);
    return shot.call;
  },
};
export type StressTasks = typeof tasks;
export default defineTasks(tasks);
