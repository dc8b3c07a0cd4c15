import type { Capabilities } from '../src/contract/dispatcher.ts';
import type { FromWorker, RunFrame, ToWorker } from '../src/contract/frames.ts';
import type {
  Transport,
  Unsent,
  WorkerEnd,
  WorkerEvents,
  WorkerHandle,
  WorkerStart,
} from '../src/contract/transport.ts';

export interface FakeTransportOptions {
  readonly capabilities?: Partial<Capabilities>;
  readonly autoWindow?: Transport['autoWindow'];
  /** Whether what a worker has not begun can be taken back. Default: no. */
  readonly reclaims?: boolean;
  /** Owner of a key. Default: keys belong to slots. */
  readonly homeOf?: NonNullable<Transport['homeOf']>;
  /** Whether the kernel and its workers poll. Default: no. */
  readonly polls?: boolean;
  /** Frames that are not those of every worker. Default: all that there are. */
  readonly extraFrames?: Transport['extraFrames'];
  /** Whether workers are ready, and end when told to, without the test saying so. Default: no. */
  readonly obliging?: boolean;
}

/** A transport in memory. A test plays the workers; the transport checks what the kernel owes to it. */
export class FakeTransport implements Transport {
  readonly kind = 'fake';
  readonly capabilities: Capabilities;
  readonly autoWindow: Transport['autoWindow'];
  /** All, in the order of their start. */
  readonly workers: FakeWorker[] = [];
  /** Acts of the kernel that the contract forbids. */
  readonly violations: string[] = [];
  closes = 0;
  /** Thrown by `spawn`, once for each. */
  readonly spawnErrors: unknown[] = [];
  /** Why an input cannot be cloned; undefined if it can. */
  refuses: (frame: RunFrame) => unknown = () => undefined;
  /** Promise that `close` waits for. */
  closing: Promise<void> = Promise.resolve();
  readonly isObliging: boolean;
  readonly polls: boolean;
  readonly reclaims: boolean;
  readonly extraFrames: NonNullable<Transport['extraFrames']>;
  readonly homeOf?: NonNullable<Transport['homeOf']>;
  /** Whether a worker keeps a call that is to be taken back: it drops it when its turn comes. */
  keeps: (frame: RunFrame) => boolean = () => false;

  constructor(options: FakeTransportOptions = {}) {
    this.capabilities = {
      isolation: 'process',
      hardKill: true,
      transfer: true,
      streams: true,
      ...options.capabilities,
    };
    this.autoWindow = options.autoWindow ?? { first: 4, max: 64 };
    this.isObliging = options.obliging ?? false;
    this.polls = options.polls ?? false;
    this.reclaims = options.reclaims ?? false;
    this.extraFrames = options.extraFrames ?? ['busy', 'keys-only', 'lost', 'report', 'room'];
    if (options.homeOf !== undefined) this.homeOf = options.homeOf;
  }

  spawn(start: WorkerStart, events: WorkerEvents): WorkerHandle {
    if (this.closes > 0) this.violations.push('spawn after close');
    if (this.spawnErrors.length > 0) throw this.spawnErrors.shift();
    const worker = new FakeWorker(this, start, events);
    this.workers.push(worker);
    if (this.isObliging) setImmediate(() => worker.ready());
    return worker;
  }

  close(): Promise<void> {
    this.closes += 1;
    if (this.living.length > 0) this.violations.push('close before the last worker ended');
    return this.closing;
  }

  get living(): FakeWorker[] {
    return this.workers.filter((worker) => !worker.hasEnded);
  }

  /** A worker by the order of starts, from 0; negative from the end. */
  at(index: number): FakeWorker {
    const worker = this.workers.at(index);
    if (worker === undefined) throw new Error(`No worker ${index}`);
    return worker;
  }
}

const fakeTasks: readonly string[] = ['echo', 'other'];

/** One worker: what it was sent, and what the test has it say. */
export class FakeWorker implements WorkerHandle {
  readonly pid: number;
  readonly workerId: number;
  readonly slot: number;
  readonly module: URL | undefined;
  readonly workerData: unknown;
  /** Frames of each message. */
  readonly messages: (readonly ToWorker[])[] = [];
  readonly holds: boolean[] = [];
  kills = 0;
  isReady = false;
  isStopping = false;
  hasEnded = false;
  /** Calls were taken back from it, and it has said nothing since. */
  isHeldUp = false;
  /** It gave a call back for want of room, and has said nothing of room since. */
  isBusy = false;
  /** It was set to take calls with a key alone. */
  keysOnly = false;
  /** Numbers that were taken back and that it has not dropped yet, also of those that it kept. */
  readonly takenBack: Set<number> = new Set();
  /** Calls that the worker has begun, in that order. */
  readonly begun: RunFrame[] = [];
  readonly reclaim?: NonNullable<WorkerHandle['reclaim']>;
  readonly #transport: FakeTransport;
  readonly #events: WorkerEvents;
  readonly #answered = new Set<number>();
  #lastSeq = 0;
  #started = 0;

  constructor(transport: FakeTransport, start: WorkerStart, events: WorkerEvents) {
    this.#transport = transport;
    this.#events = events;
    this.workerId = start.workerId;
    this.slot = start.slot;
    this.module = start.module;
    this.workerData = start.workerData;
    this.pid = 9000 + start.workerId;
    if (transport.reclaims) this.reclaim = (seqs) => this.#reclaim(seqs);
  }

  // What the kernel does.

  send(frames: readonly ToWorker[]): readonly Unsent[] {
    if (!this.isReady) this.#violated('sent to before it was ready');
    if (this.kills > 0) this.#violated('sent to after it was killed');
    if (this.hasEnded) this.#violated('sent to after its end');
    if (this.isStopping) this.#violated('sent to after it was told to stop');
    if (frames.length === 0) this.#violated('sent an empty message');
    const unsent: Unsent[] = [];
    const taken = frames.filter((frame) => {
      if (frame.kind === 'stop') this.#stop();
      if (frame.kind === 'abort' && frame.seq > this.#lastSeq) this.#violated('abort before run');
      if (frame.kind !== 'run') return true;
      if (frame.seq <= this.#lastSeq) this.#violated(`seq ${frame.seq} after ${this.#lastSeq}`);
      this.#lastSeq = frame.seq;
      if (this.isBusy) this.#violated('given a call while it was busy');
      const error = this.#transport.refuses(frame);
      if (error !== undefined) unsent.push({ seq: frame.seq, error });
      return error === undefined;
    });
    if (taken.length > 0) this.messages.push(taken);
    return unsent;
  }

  started(): number {
    return this.#started;
  }

  kill(): void {
    this.kills += 1;
    if (this.kills > 1) this.#violated('killed twice');
    if (this.hasEnded) this.#violated('killed after its end');
    if (this.#transport.isObliging) setImmediate(() => this.exit({ signal: 'SIGKILL' }));
  }

  hold(alive: boolean): void {
    if (this.hasEnded) this.#violated('held after its end');
    this.holds.push(alive);
  }

  // What a test sees.

  get frames(): ToWorker[] {
    return this.messages.flat();
  }

  get runs(): RunFrame[] {
    return this.frames.filter((frame) => frame.kind === 'run');
  }

  /** Inputs, in the order in which they came. */
  get inputs(): unknown[] {
    return this.runs.map(({ input }) => input);
  }

  get aborts(): { seq: number; reason: unknown }[] {
    return this.frames.flatMap((frame) =>
      frame.kind === 'abort' ? [{ seq: frame.seq, reason: frame.reason }] : [],
    );
  }

  count(kind: ToWorker['kind']): number {
    return this.frames.filter((frame) => frame.kind === kind).length;
  }

  /** Runs that it has not settled. */
  get open(): RunFrame[] {
    return this.runs.filter(({ seq }) => !this.#answered.has(seq));
  }

  // What a test has it do.

  emit(...frames: readonly FromWorker[]): void {
    if (this.hasEnded) throw new Error('A worker that has ended says nothing');
    this.isHeldUp = false;
    this.#events.frames(frames);
  }

  ready(tasks: readonly string[] = fakeTasks): void {
    if (this.hasEnded) return;
    this.isReady = true;
    this.emit({ kind: 'ready', tasks });
  }

  startFailed(error: unknown, final = false): void {
    this.reportFailure(error, final);
    this.exit({ exitCode: 1 });
  }

  /** Reports why it cannot start, and stays. */
  reportFailure(error: unknown, final = false): void {
    this.emit({ kind: 'start-failed', error, final });
  }

  /** Starts all up to a number. */
  start(seq: number = this.#lastSeq): void {
    const begun = this.#begin(seq);
    const told = begun.filter(({ announce }) => announce);
    if (told.length > 0) this.emit(...told.map(({ seq: each }) => startedFrame(each)));
  }

  answer(seq: number, value: unknown = `answer ${seq}`, runMs = 1): void {
    this.emit(this.doneFrame(seq, value, runMs));
  }

  doneFrame(seq: number, value: unknown = `answer ${seq}`, runMs = 1): FromWorker {
    this.#begun(seq);
    return { kind: 'done', seq, value, runMs };
  }

  fail(seq: number, error: unknown, runMs = 1): void {
    this.#begun(seq);
    this.emit({ kind: 'failed', seq, error, runMs });
  }

  /** A worker behind it had the call, and has ended. */
  lose(seq: number, error: unknown = new Error('A worker behind this one ended')): void {
    this.#begun(seq);
    this.emit({ kind: 'lost', seq, error });
  }

  drop(seq: number): void {
    this.takenBack.delete(seq);
    this.#answered.add(seq);
    this.emit({ kind: 'dropped', seq });
  }

  /** Gives a call back that it has not begun. */
  busy(seq: number = this.#lastSeq): void {
    this.isBusy = true;
    this.#answered.add(seq);
    this.emit({ kind: 'busy', seq });
  }

  room(window: number): void {
    this.isBusy = false;
    this.emit({ kind: 'room', window });
  }

  progress(seq: number, data: unknown): void {
    this.emit({ kind: 'progress', seq, data });
  }

  exit(end: Partial<WorkerEnd> = {}): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.#events.exit({ exitCode: undefined, signal: undefined, stderrTail: '', ...end });
  }

  #begun(seq: number): void {
    this.#begin(seq);
    this.#answered.add(seq);
  }

  #begin(seq: number): RunFrame[] {
    const begun = this.open.filter(
      (run) => run.seq > this.#started && run.seq <= seq && !this.takenBack.has(run.seq),
    );
    this.#started = Math.max(this.#started, seq);
    this.begun.push(...begun);
    return begun;
  }

  #reclaim(seqs: readonly number[]): readonly number[] {
    if (this.hasEnded || this.kills > 0) this.#violated('asked for calls after its end');
    const asked = this.open.filter(({ seq }) => seqs.includes(seq) && seq > this.#started);
    for (const { seq } of asked) this.takenBack.add(seq);
    const gone = asked.filter((run) => !this.#transport.keeps(run)).map(({ seq }) => seq);
    for (const seq of gone) this.#answered.add(seq);
    if (gone.length > 0) this.isHeldUp = true;
    return gone;
  }

  #stop(): void {
    this.isStopping = true;
    if (this.#transport.isObliging) setImmediate(() => this.exit({ exitCode: 0 }));
  }

  #violated(what: string): void {
    this.#transport.violations.push(`worker ${this.workerId}: ${what}`);
  }
}

function startedFrame(seq: number): FromWorker {
  return { kind: 'started', seq };
}
