import type { Train, TrainRun, TrainSection } from '../timetable/train.ts';

const minuteMs = 60_000;

/** Minutes on foot before the first train of each journey and after the last one, to and from an address. */
export interface Walks {
  readonly before: number;
  readonly after: number;
}

/** The walks of faults. */
export const usualWalks: Walks = { before: 6, after: 4 };

/** Returns the trains of a journey. */
export function runsOf(train: Train): readonly [TrainRun, ...TrainRun[]] {
  return train.connection ?? [train];
}

/** Returns the trains that people stay in, in turn: a train that goes on under another number is two. */
export function partsOf(run: TrainRun): readonly TrainRun[] {
  const { sections, ...whole } = run;
  if (sections === undefined) return [run];
  return sections.map((section: TrainSection): TrainRun => ({ ...whole, ...section }));
}

/** Returns how late a train is expected. */
export function lateMs({ delayMinutes = 0 }: Pick<TrainRun, 'delayMinutes'>): number {
  return delayMinutes * minuteMs;
}

/** Returns when a journey is expected to begin and to end, with its walks. */
export function expectedEnds(
  train: Train,
  walks?: Walks,
): { readonly startMs: number; readonly endMs: number } {
  const runs = runsOf(train);
  const last = runs.at(-1) ?? runs[0];
  return {
    startMs: runs[0].departureMs + lateMs(runs[0]) - (walks?.before ?? 0) * minuteMs,
    endMs: last.arrivalMs + lateMs(last) + (walks?.after ?? 0) * minuteMs,
  };
}

/** Returns the time of a journey from door to door by expected times, as servers state it. */
export function expectedMs(train: Train, walks?: Walks): number {
  const { startMs, endMs } = expectedEnds(train, walks);
  return endMs - startMs;
}

/** Returns the time between two trains, which is what is expected where a late train is caught, or none. */
export function changeMs(before: TrainRun, after: TrainRun): number {
  const planned = after.departureMs - before.arrivalMs;
  return planned >= 0 ? planned : Math.max(0, planned + lateMs(after) - lateMs(before));
}

/** Returns whether the second train is not reached as things are expected. */
export function isMissed(before: TrainRun, after: TrainRun): boolean {
  return after.departureMs + lateMs(after) < before.arrivalMs + lateMs(before);
}
