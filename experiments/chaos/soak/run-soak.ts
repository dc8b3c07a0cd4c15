import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChaosEvent } from '../events/event.ts';
import { createEventLog } from '../events/event-log.ts';
import { gradeOf } from '../invariants/grade.ts';
import { timelineOf } from '../invariants/timeline.ts';
import { questionsFrom } from '../load/questions.ts';
import { pause, runLoad } from '../load/run-load.ts';
import { createClients } from '../load/send-request.ts';
import type { Setup } from '../setups.ts';
import { createTruth } from '../truth/expected-lines.ts';
import { useOf } from '../world/processes.ts';
import { watchLateness } from '../world/watch-lateness.ts';
import { startWorld } from '../world/world.ts';
import { FIGURES, type FigureName, type Series, WARM_UP } from './figures.ts';
import type { Point } from './slope.ts';

export interface SoakOptions {
  readonly ms: number;
  readonly perSecond: number;
  readonly flags: readonly string[];
  readonly signal: AbortSignal;
}

/** Measurements of a soak. */
export interface Soaked {
  readonly setup: string;
  readonly series: readonly Series[];
  readonly requests: number;
  /** Requests that were not good, by how they ended. */
  readonly bad: Readonly<Record<string, number>>;
  /** Share of the time for which this process, which does next to nothing, was late: then times prove nothing. */
  readonly lateShare: number;
}

const SAMPLER = fileURLToPath(new URL('sampler.mjs', import.meta.url));
/** Makes malloc of glibc return free memory at once. By default it keeps what one busy second took, for hours, which hides a leak. */
const GIVING_BACK = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
};
const SAMPLE_MS = 1000;
const DEADLINE_MS = 2000;
const SEED = 1;

/** Runs a set-up under a steady load, after a warm-up that is faster; measures each of its processes once a second. */
export async function runSoak(setup: Setup, options: SoakOptions): Promise<Soaked> {
  const { ms, perSecond, flags, signal } = options;
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const world = await startWorld(setup, {
    ...{ timetable: '1', deadlineMs: DEADLINE_MS, latencyMs: 30, flags },
    env: { NODE_OPTIONS: `--import=${SAMPLER}`, CHAOS_SAMPLES: folder, ...GIVING_BACK },
  });
  const clients = createClients(world.url, { patienceMs: 30_000 });
  const log = createEventLog(Date.now);
  const descriptors = new Map<number, Point[]>();
  let lateMs = 0;
  const watch = watchLateness((ms) => {
    lateMs += ms;
  });
  const sampling = setInterval(() => {
    for (const { pid } of world.parts()) {
      const use = useOf(pid);
      if (use === undefined) continue;
      const points = descriptors.get(pid) ?? [];
      points.push({ at: Date.now(), value: use.descriptors.length });
      descriptors.set(pid, points);
    }
  }, SAMPLE_MS);
  try {
    const truth = createTruth('1');
    const questions = questionsFrom(Date.now());
    const planned = { clients, log, truth, seed: SEED, questions };
    const warming = Math.max(WARM_UP.perSecond, perSecond);
    const before = runLoad({ ...planned, perSecond: warming, firstId: 0 });
    await pause(WARM_UP.ms, signal);
    await before.stop();
    const load = runLoad({ ...planned, perSecond, firstId: before.nextId() });
    await pause(ms, signal);
    await load.stop();
    const { requests, bad, p99 } = gradesOf(log.events);
    // A process that was replaced was warming up.
    const series = seriesIn(folder, descriptors).filter(({ points }) => spanOf(points) > ms / 2);
    return {
      ...{ setup: setup.name, requests, bad, lateShare: lateMs / (WARM_UP.ms + ms) },
      series: [...series, p99],
    };
  } finally {
    clearInterval(sampling);
    watch.end();
    clients.close();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function gradesOf(events: readonly ChaosEvent[]) {
  const timeline = timelineOf(events);
  const terms = { deadlineMs: DEADLINE_MS };
  const bad: Record<string, number> = {};
  const points: Point[] = [];
  for (const request of timeline.requests) {
    const grade = gradeOf(request, { timeline, terms });
    if (grade !== 'good' && grade !== 'left') bad[grade] = (bad[grade] ?? 0) + 1;
    const isSearch = request.sent.route === 'search' && request.sent.client !== 'slow';
    if (grade === 'good' && isSearch) {
      points.push({ at: request.fromMs, value: request.toMs - request.fromMs });
    }
  }
  const p99 = { process: 'clients', figure: 'p99', points } as const satisfies Series;
  return { requests: timeline.requests.length, bad, p99 };
}

function spanOf(points: readonly Point[]): number {
  return (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0);
}

interface Sample extends Record<Exclude<FigureName, 'descriptors' | 'p99'>, number> {
  readonly at: number;
  readonly role: string;
}

const SAMPLED = (Object.keys(FIGURES) as FigureName[]).filter(
  (name) => name !== 'descriptors' && name !== 'p99',
) as Exclude<FigureName, 'descriptors' | 'p99'>[];

/** Reads what the processes have written of themselves, and joins the descriptors that were counted from outside. */
function seriesIn(folder: string, descriptors: ReadonlyMap<number, readonly Point[]>): Series[] {
  return readdirSync(folder).flatMap((file): Series[] => {
    const samples = readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Sample);
    const pid = Number.parseInt(file, 10);
    const process = `${basename(samples[0]?.role ?? 'node').replace(/\.js$/, '')} ${pid}`;
    return [
      ...SAMPLED.map((figure) => ({
        ...{ process, figure },
        points: samples.map((sample) => ({ at: sample.at, value: sample[figure] })),
      })),
      { process, figure: 'descriptors', points: descriptors.get(pid) ?? [] },
    ];
  });
}
