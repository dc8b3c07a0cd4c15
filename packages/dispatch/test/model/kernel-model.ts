import { createManualClock, type ManualClock } from '@ticketing/test-kit';
import { expect } from 'vitest';
import type { Dispatcher } from '../../src/contract/dispatcher.ts';
import { DispatchError } from '../../src/errors.ts';
import { createPool, type Pool } from '../../src/kernel/create-pool.ts';
import { FakeTransport, type FakeWorker } from '../fake-transport.ts';
import { type FakeTasks, turn, type Watched, watch } from '../kernel-fixture.ts';
import { plainRun, type RunStep, type Setting, type Step } from './kernel-model-steps.ts';

interface ModelCall {
  readonly id: number;
  readonly step: RunStep;
  readonly controller: AbortController | undefined;
  readonly outcome: Watched;
  /** When it was made. */
  readonly madeAt: number;
  /** No worker room and a measure: it may be refused. */
  readonly mayBeRefused: boolean;
  /** Its time passed before a worker was given it. */
  isLate: boolean;
}

/** A pool, what was asked of it, and what must be true of it whatever happens. */
export class KernelModel {
  readonly setting: Setting;
  readonly clock: ManualClock = createManualClock();
  readonly transport: FakeTransport;
  readonly pool: Pool<FakeTasks>;
  readonly dispatcher: Dispatcher<FakeTasks>;
  readonly calls: ModelCall[] = [];
  /** Reloads, scalings and waits for capacity. */
  readonly others: Watched[] = [];
  closing: Watched | undefined;
  #isDraining = false;
  /** Attempts that were running when their worker ended, by call. */
  readonly #lostRuns = new Map<unknown, number>();

  constructor(given: Setting) {
    this.setting = given;
    const { min, more, window, maxQueue, maxWaitMs, abortGraceMs } = given;
    const { hardKill, maxFailures, recycleTasks, reclaims, homes } = given;
    this.transport = new FakeTransport({
      capabilities: { hardKill },
      reclaims: reclaims !== 'never',
      ...(homes ? { homeOf: ownerOf } : {}),
    });
    this.transport.keeps = ({ seq }) => reclaims === 'partly' && seq % 2 === 0;
    this.transport.refuses = ({ input }) => {
      const call = this.calls[input as number];
      if (call?.isLate) this.transport.violations.push(`${call.id} sent after its time`);
      return call?.step.canClone === false ? 'not cloneable' : undefined;
    };
    this.pool = createPool<FakeTasks>(this.transport, {
      min,
      max: min + more,
      window,
      maxQueue,
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
      abortGraceMs,
      restart: { maxFailures },
      recycle: { tasks: recycleTasks },
      random: () => 0,
      clock: this.clock,
    });
    this.dispatcher = this.pool.dispatcher;
  }

  async apply(given: Step): Promise<void> {
    const { transport, dispatcher, clock } = this;
    switch (given.kind) {
      case 'run':
        this.#run(given);
        break;
      case 'abort':
        this.calls[given.which]?.controller?.abort(`aborted ${given.which}`);
        break;
      case 'start-failed': {
        const worker = pick(
          transport.living.filter(({ isReady }) => !isReady),
          given.which,
        );
        worker?.startFailed('start failed', given.final);
        break;
      }
      case 'time':
        clock.advance(given.ms);
        break;
      case 'stall':
        // What workers were given is sent: the rest waits.
        await turn();
        clock.stall(given.ms);
        this.#noteLate();
        break;
      case 'turn':
        await turn();
        break;
      case 'hold-up':
        await turn();
        for (let ms = 0; ms < 3; ms++) clock.advance(1);
        break;
      case 'scale':
        this.others.push(watch(this.pool.scale(given.workers)));
        break;
      case 'reload':
        this.others.push(watch(dispatcher.reload()));
        break;
      case 'capacity':
        this.others.push(watch(dispatcher.capacity()));
        break;
      case 'drain':
        this.#isDraining = true;
        this.others.push(watch(dispatcher.drain({ timeoutMs: 500 })));
        break;
      case 'spawn-throws':
        if (transport.spawnErrors.length === 0) transport.spawnErrors.push('spawn failed');
        break;
      case 'close':
        this.closing ??= watch(dispatcher.close());
        break;
      default: {
        const worker = pick(transport.living, given.which);
        if (worker !== undefined) this.#say(worker, given.kind, given.which);
      }
    }
  }

  /** Checks that hold after every step. */
  check(): void {
    const { transport, dispatcher, setting: own } = this;
    expect(transport.violations).toEqual([]);
    const stats = dispatcher.stats();
    const ended = stats.completed + stats.failed + stats.aborted + stats.rejected;
    expect(ended + stats.queued + stats.running).toBe(stats.asked);
    for (const worker of stats.workers) expect(worker.inFlight).toBeLessThanOrEqual(own.window);
    const places = new Map<unknown, number>();
    for (const worker of transport.living) {
      if (own.hardKill) expect(worker.open.length).toBeLessThanOrEqual(own.window);
      for (const { input } of worker.open) places.set(input, (places.get(input) ?? 0) + 1);
    }
    for (const count of places.values()) expect(count).toBe(1);
    for (const { input, attempt } of transport.workers.flatMap(({ runs }) => runs)) {
      const { retries } = this.#callOf(input).step;
      expect(attempt).toBeLessThanOrEqual(1 + retries);
      expect(attempt).toBeLessThanOrEqual(1 + (this.#lostRuns.get(input) ?? 0));
    }
  }

  /** Checks that hold after a turn of the event loop. */
  checkAtRest(): void {
    const stats = this.dispatcher.stats();
    const pending = this.calls.filter(({ outcome }) => outcome.state === 'pending');
    expect(pending).toHaveLength(stats.queued + stats.running);
    const given = new Set(
      this.transport.living.flatMap(({ open }) => open.map(({ input }) => input)),
    );
    const waits = pending.some(({ id, step: { key } }) => key === undefined && !given.has(id));
    const hasRoom = this.#hasRoom();
    // What a worker was given and not yet sent when it was killed comes back when it has ended.
    const isKilling = this.transport.living.some(({ kills }) => kills > 0);
    expect(waits && hasRoom && !isKilling).toBe(false);
    const begun = this.transport.workers.flatMap((worker) =>
      worker.begun.map(({ input, attempt }) => `${input} ${attempt}`),
    );
    expect(begun).toHaveLength(new Set(begun).size);
    for (const call of this.calls) this.#checkOutcome(call);
  }

  /** Workers do what they should from now on: every call settles, and the next one is answered. */
  async heal(): Promise<void> {
    await this.#behaveUntil(() =>
      [...this.calls.map(({ outcome }) => outcome), ...this.others].every(
        ({ state }) => state !== 'pending',
      ),
    );
    if (this.closing !== undefined || this.#isDraining) return;
    await this.#behaveUntil(() => this.dispatcher.state === 'ready');
    const room = watch(this.dispatcher.capacity());
    await this.#behaveUntil(() => room.state === 'resolved');
    const last = this.#run({ ...plainRun, priority: 1000 });
    await this.#behaveUntil(() => last.outcome.state !== 'pending');
    expect(last.outcome.state).toBe('resolved');
  }

  async end(): Promise<void> {
    this.closing ??= watch(this.dispatcher.close());
    for (let index = 0; index < 3; index++) {
      for (const worker of this.transport.living) this.#exit(worker);
      await turn();
    }
    expect(this.closing.state).toBe('resolved');
    expect(this.clock.pending).toBe(0);
    expect(this.transport.closes).toBe(1);
    this.check();
    this.checkAtRest();
    const stats = this.dispatcher.stats();
    expect(stats).toMatchObject({ queued: 0, running: 0, workers: [], asked: this.calls.length });
    for (const { outcome } of [...this.calls, ...this.others.map((outcome) => ({ outcome }))]) {
      expect(outcome.state).not.toBe('pending');
    }
    const after = watch(this.dispatcher.run('echo', 0));
    await turn();
    expect(after.error).toMatchObject({ code: 'ERR_CLOSED' });
  }

  /** Whether some worker takes a call now. */
  #hasRoom(): boolean {
    const { living } = this.transport;
    const away = new Set(
      living.filter(({ isHeldUp, isBusy }) => isHeldUp || isBusy).map(({ workerId }) => workerId),
    );
    const keysOnly = new Set(
      living.filter((worker) => worker.keysOnly).map(({ workerId }) => workerId),
    );
    const ready = this.dispatcher.stats().workers.filter(({ state }) => state === 'ready');
    const hasOthers = ready.some(({ workerId }) => !keysOnly.has(workerId));
    return ready.some(
      ({ workerId, inFlight, window }) =>
        inFlight < window && !away.has(workerId) && !(hasOthers && keysOnly.has(workerId)),
    );
  }

  #run(given: RunStep): ModelCall {
    const { dispatcher, setting: own } = this;
    const id = this.calls.length;
    const controller = given.canAbort ? new AbortController() : undefined;
    const before = dispatcher.stats();
    // The call is known before it is made: it may be sent at once.
    const hasRoom = this.#hasRoom();
    const isMeasured = before.completed + before.failed > 0 && before.queued > 0;
    const mayBeRefused = isMeasured && !(hasRoom && given.key === undefined);
    const more = { madeAt: this.clock.now(), mayBeRefused, isLate: false };
    const call = { id, step: given, controller, ...more } as {
      -readonly [K in keyof ModelCall]: ModelCall[K];
    };
    this.calls.push(call);
    call.outcome = watch(
      dispatcher.run('echo', id, {
        ...given.timeouts,
        ...(given.key === undefined ? {} : { key: given.key }),
        ...(controller === undefined ? {} : { signal: controller.signal }),
        ...(given.retries > 0 ? { idempotent: true, retries: given.retries } : {}),
        ...(given.progress === 'none' ? {} : { onProgress: () => progressed(call) }),
        priority: given.priority,
      }),
    );
    const after = dispatcher.stats();
    if (after.queued > before.queued) expect(after.queued).toBeLessThanOrEqual(own.maxQueue);
    return call;
  }

  /** Marks those that wait in no worker and whose time has passed, whether or not their timers have fired. */
  #noteLate(): void {
    const given = new Set(
      this.transport.living.flatMap(({ open }) => open.map((run) => run.input)),
    );
    for (const call of this.calls) {
      if (call.outcome.state !== 'pending' || given.has(call.id)) continue;
      const { timeoutMs = Infinity, queueTimeoutMs = Infinity } = call.step.timeouts;
      const isFirst = !this.#lostRuns.has(call.id);
      const limit = isFirst ? Math.min(timeoutMs, queueTimeoutMs) : timeoutMs;
      if (this.clock.now() - call.madeAt >= limit) call.isLate = true;
    }
  }

  #say(worker: FakeWorker, kind: string, index: number): void {
    if (kind === 'exit') this.#exit(worker);
    else if (worker.isReady) this.#work(worker, kind, index);
    else if (kind === 'ready') worker.ready();
  }

  #work(worker: FakeWorker, kind: string, index: number): void {
    const running = worker.open.filter(({ seq }) => seq <= worker.started());
    const run = pick(running, index);
    if (kind === 'start') startNext(worker);
    else if (kind === 'answer' && run !== undefined) worker.answer(run.seq, `good ${run.input}`);
    else if (kind === 'busy') giveBack(worker, index);
    else if (kind === 'room') worker.room(1 + (index % 4));
    else if (kind === 'keys-only') {
      worker.keysOnly = index % 2 === 0;
      worker.emit({ kind: 'keys-only', on: worker.keysOnly });
    } else if (kind === 'fail' && run !== undefined) worker.fail(run.seq, `bad ${run.input}`);
    else if (kind === 'lose' && run !== undefined) {
      this.#noteLoss(run.input);
      const lost = { data: { name: 'behind' } };
      worker.lose(run.seq, new DispatchError('ERR_WORKER_LOST', 'Gone', lost));
    } else if (kind === 'progress' && run !== undefined) worker.progress(run.seq, index);
    else if (kind === 'ill' && worker.count('health') > 0) {
      worker.emit({ kind: 'healthy', ...(index % 2 === 0 ? { error: 'ill' } : {}) });
    } else if (kind === 'load') {
      worker.emit({ kind: 'load', elapsedMs: 10, activeMs: index / 2, memoryBytes: 1 });
    }
  }

  #exit(worker: FakeWorker): void {
    for (const { input, seq } of worker.open) {
      if (seq > worker.started()) continue;
      this.#noteLoss(input);
    }
    worker.exit({ exitCode: 1 });
  }

  #noteLoss(input: unknown): void {
    this.#lostRuns.set(input, (this.#lostRuns.get(input) ?? 0) + 1);
  }

  async #behaveUntil(isDone: () => boolean): Promise<void> {
    for (let round = 0; round < 100 && !isDone(); round++) {
      for (const worker of this.transport.living) {
        if (worker.kills > 0 || worker.isStopping) this.#exit(worker);
        else if (!worker.isReady) worker.ready();
        else {
          if (worker.count('health') > 0) worker.emit({ kind: 'healthy' });
          if (worker.isBusy) worker.room(3);
          startNext(worker);
          for (const { seq, input } of worker.open) {
            if (seq <= worker.started()) worker.answer(seq, `good ${input}`);
          }
        }
      }
      await turn();
      this.check();
      this.checkAtRest();
      this.clock.advance(round % 4 === 3 ? 5000 : 1);
      await turn();
    }
    expect(isDone()).toBe(true);
  }

  #checkOutcome({ id, step, outcome, isLate, mayBeRefused }: ModelCall): void {
    const { canClone, retries, timeouts } = step;
    const { state, value, error } = outcome;
    if (isLate) expect(state).not.toBe('resolved');
    if (state === 'resolved') expect([canClone, value]).toEqual([true, `good ${id}`]);
    if (state !== 'rejected') return;
    if (typeof error === 'string') {
      expect([`bad ${id}`, `aborted ${id}`, `progress ${id}`]).toContain(error);
      return;
    }
    expect(error).toHaveProperty('code');
    const { code } = error as { code: string };
    if (code === 'ERR_WORKER_LOST') expect(this.#lostRuns.get(id)).toBe(1 + retries);
    if (code === 'ERR_OVERLOADED') {
      const { timeoutMs, queueTimeoutMs } = timeouts;
      expect(timeoutMs ?? queueTimeoutMs ?? this.setting.maxWaitMs).toBeDefined();
      expect(mayBeRefused).toBe(true);
    }
    if (code === 'ERR_NOT_CLONEABLE') expect(canClone).toBe(false);
  }

  #callOf(input: unknown): ModelCall {
    return this.calls[input as number] as ModelCall;
  }
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}

/** Nothing is reported of a call that has settled. */
function progressed({ id, step: { progress }, outcome }: ModelCall): void {
  expect(outcome.state).toBe('pending');
  if (progress === 'throws') throw `progress ${id}`;
}

/** Gives back one of those that it has not begun. */
function giveBack(worker: FakeWorker, index: number): void {
  const waiting = worker.open.filter(
    ({ seq }) => seq > worker.started() && !worker.takenBack.has(seq),
  );
  const run = pick(waiting, index);
  if (run !== undefined) worker.busy(run.seq);
}

/** The owner of a key: the worker with the highest rank for it, one of two owning none. */
function ownerOf(key: string, workerIds: readonly number[]): number | undefined {
  const owners = workerIds.filter((id) => id % 2 === 1);
  return owners[key.charCodeAt(0) % Math.max(1, owners.length)];
}

/** Starts the first that waits in the worker; one that was aborted is dropped. */
function startNext(worker: FakeWorker): void {
  for (const seq of worker.takenBack) worker.drop(seq);
  const run = worker.open.find(({ seq }) => seq > worker.started());
  if (run === undefined) return;
  if (worker.aborts.some(({ seq }) => seq === run.seq)) worker.drop(run.seq);
  else worker.start(run.seq);
}
