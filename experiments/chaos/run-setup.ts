import type { ChaosEvent } from './events/event.ts';
import { eventLine } from './events/event-line.ts';
import { createEventLog } from './events/event-log.ts';
import type { PlannedFault } from './faults/fault.ts';
import { inflict } from './faults/inflict.ts';
import { scheduleOf } from './faults/schedule.ts';
import { checkInvariants, type Violation } from './invariants/invariants.ts';
import { RECOVERY_MS } from './invariants/request-invariants.ts';
import { growth } from './invariants/whole-invariants.ts';
import { questionsFrom } from './load/questions.ts';
import { type Load, pause, runLoad } from './load/run-load.ts';
import { createClients } from './load/send-request.ts';
import type { Setup } from './setups.ts';
import { createTruth } from './truth/expected-lines.ts';
import { observe } from './world/observe.ts';
import { processesWith } from './world/processes.ts';
import { watchLateness } from './world/watch-lateness.ts';
import { watchStarvation } from './world/watch-starvation.ts';
import { startWorld, type World } from './world/world.ts';

export interface RunSetupOptions {
  readonly seed: number;
  /** Milliseconds with faults. */
  readonly ms: number;
  readonly perSecond: number;
  /** Flags of the demo after the flags of the set-up. */
  readonly flags: readonly string[];
  /** Milliseconds of load before the faults. Default: 8,000. */
  readonly warmMs?: number;
  /** Milliseconds of load after them. Default: the time to recover, and as long again in which all must be good. */
  readonly calmMs?: number;
  readonly signal: AbortSignal;
  /** Called with a breach, and the last events before it. */
  onViolation(violation: Violation, lines: readonly string[]): void;
}

export interface RunOfSetup {
  readonly setup: string;
  readonly seed: number;
  readonly events: readonly ChaosEvent[];
  readonly violations: readonly Violation[];
  /** End of what the demo has written. */
  readonly output: string;
}

export const DEADLINE_MS = 2000;
const LATENCY_MS = 30;
const TIMETABLE = '1';
const WARM_MS = 8000;
const CALM_MS = 2 * RECOVERY_MS;
/** Longest time in which what clients have caused is given back. */
const SETTLE_MS = 15_000;
/** Time that it has for that before anything is compared. */
const BEFORE_MS = 3000;
/** Time after which it is looked at again. */
const STEADY_MS = 1000;
const STOP_MS = 15_000;
const CHECK_MS = 2000;
const TICK_MS = 100;
const SHOWN_EVENTS = 50;
const PATIENCE_MS = 30_000;

/** Runs one set-up under the faults of a seed, and checks every invariant while it runs. */
export async function runSetup(setup: Setup, options: RunSetupOptions): Promise<RunOfSetup> {
  const { seed, ms, signal, flags, warmMs = WARM_MS, calmMs = CALM_MS } = options;
  const startedAt = performance.now();
  const log = createEventLog(() => performance.now() - startedAt);
  const terms = { deadlineMs: DEADLINE_MS };
  const violations = new Map<string, Violation>();

  function check(sinceMs: number): void {
    for (const violation of checkInvariants(log.events, terms, sinceMs)) {
      const key = `${violation.invariant} ${violation.key}`;
      if (violations.has(key)) continue;
      violations.set(key, violation);
      const until = log.events.findLastIndex(({ atMs }) => atMs <= violation.atMs) + 1;
      options.onViolation(
        violation,
        log.events.slice(Math.max(0, until - SHOWN_EVENTS), until).map(eventLine),
      );
    }
  }

  const world = await startWorld(setup, {
    ...{ timetable: TIMETABLE, deadlineMs: DEADLINE_MS, latencyMs: LATENCY_MS, flags },
  });
  const clients = createClients(world.url, { patienceMs: PATIENCE_MS });
  void world.demo.ended().then((exit) => {
    if (!isStopping) log.add({ kind: 'died', program: 'demo', exit });
  });
  let isStopping = false;
  let checkedMs = 0;
  const checking = setInterval(() => {
    const sinceMs = checkedMs;
    checkedMs = log.events.at(-1)?.atMs ?? 0;
    check(sinceMs);
  }, CHECK_MS);
  const watch = watchLateness((late) => log.add({ kind: 'late', ms: late }));
  const starvation = watchStarvation(world.parts, log);
  const truth = createTruth(TIMETABLE);
  const questions = questionsFrom(Date.now());
  const load = (firstId: number): Load => {
    const { perSecond } = options;
    return runLoad({ clients, log, truth, seed, perSecond, questions, firstId });
  };
  try {
    log.add({ kind: 'phase', phase: 'warm' });
    const warm = load(0);
    await pause(warmMs, signal);
    await warm.stop();
    clients.close();
    const before = await settled(world, signal);
    log.add({ kind: 'observed', when: 'before', state: before });

    log.add({ kind: 'phase', phase: 'faults' });
    const steady = load(warm.nextId());
    await runFaults(scheduleOf(setup, { seed, ms }), { world, log, ms, signal });
    log.add({ kind: 'phase', phase: 'calm' });
    await pause(calmMs, signal);
    log.add({ kind: 'phase', phase: 'idle' });
    await steady.stop();
    clients.close();
    const after = await settled(world, signal, before);
    log.add({ kind: 'observed', when: 'after', state: after });

    isStopping = true;
    log.add({ kind: 'phase', phase: 'stopping' });
    await stop(world, log);
  } finally {
    isStopping = true;
    clearInterval(checking);
    watch.end();
    starvation.end();
    clients.close();
    await world.close();
  }
  check(0);
  const { events } = log;
  return {
    setup: setup.name,
    seed,
    events,
    violations: [...violations.values()],
    output: world.demo.output(),
  };
}

/** Inflicts each fault of a schedule when it is due. Resolves when all have ended. */
async function runFaults(
  schedule: readonly PlannedFault[],
  run: {
    readonly world: World;
    readonly log: ReturnType<typeof createEventLog>;
    readonly ms: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { world, log, ms, signal } = run;
  const startedAt = performance.now();
  const until = (atMs: number): Promise<void> =>
    pause(startedAt + atMs - performance.now(), signal);
  async function hit(planned: PlannedFault): Promise<void> {
    const { fault, name, part, carrier, alters, durationMs } = planned;
    log.add({ kind: 'fault-began', fault, name, part, carrier, alters });
    const { detail, heal } = await inflict(planned, world, LATENCY_MS);
    log.add({ kind: 'fault-hit', fault, detail });
    if (durationMs > 0) await pause(durationMs, signal);
    await heal();
    log.add({ kind: 'fault-ended', fault });
  }
  const hits: Promise<void>[] = [];
  for (const planned of schedule) {
    await until(planned.atMs);
    if (signal.aborted) break;
    const hitting = hit(planned);
    // A fault that cannot be inflicted fails the run, at its end.
    hitting.catch(() => {});
    hits.push(hitting);
  }
  await until(ms);
  await Promise.all(hits);
}

/** Waits until the state is as before, for `SETTLE_MS` at most; returns the last state. */
async function settled(
  world: World,
  signal: AbortSignal,
  before?: ReturnType<typeof observe>,
): Promise<ReturnType<typeof observe>> {
  // Connections to carriers are kept for a minute, as many as were needed at once.
  await world.carriers.restart();
  const end = performance.now() + SETTLE_MS;
  await pause(before === undefined ? BEFORE_MS : 0, signal);
  for (let last = before; ; ) {
    const state = observe(world);
    // Before the faults it is to be as it was a moment ago: a server may have been replaced while the machine was busy.
    const isDone = last !== undefined && growth(last, state).length === 0;
    if (isDone || performance.now() > end || signal.aborted) return state;
    if (before === undefined) last = state;
    await pause(before === undefined ? STEADY_MS : TICK_MS, signal);
  }
}

/** Ends the demo, then its hosts, as a service manager does. */
async function stop(world: World, log: ReturnType<typeof createEventLog>): Promise<void> {
  const { demo, hosts, folder } = world;
  const children = [demo, ...hosts.map((host) => host.child)];
  for (const child of children) {
    const from = performance.now();
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const exit = await child.ended();
    clearTimeout(late);
    const left =
      child === children.at(-1)
        ? [...processesWith(`TMPDIR=${folder}\0`).map((pid) => `process ${pid}`), ...world.files()]
        : [];
    const tookMs = Math.round(performance.now() - from);
    log.add({ kind: 'stopped', program: child.name, exit, tookMs, left });
  }
}
