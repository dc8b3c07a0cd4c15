import { Fifo, hashText } from '@ticketing/kit';
import type { WorkerStats } from '../contract/socket-router.ts';
import type { RouterWorker } from '../contract/worker-source.ts';
import type { HeldConnection } from '../handing-over/held-connection.ts';
import { isTagged, type RouterMessage, tagged, type WorkerMessage } from '../wire/messages.ts';
import { hasWaited, monotonicMs } from '../wire/monotonic-clock.ts';

/** A worker takes a connection within this part of the claim timeout, so that its claim arrives before the end. */
const CLAIM_SHARE = 0.75;
/** Above that a text, which lies on the heap, costs more than a buffer. */
const MAX_TEXT_BYTES = 8192;
/** Milliseconds for the last messages of a process that has ended. */
const LINGER_MS = 500;

/**
 * Connections on their way to one worker. Node re-sends its whole queue of handles at each acknowledgement, so one handle
 * is sent at a time and the others wait here. A handle that was written may not arrive, so the worker claims it.
 */
export class WorkerQueue {
  readonly worker: RouterWorker;
  readonly slotHash: number;
  readonly #router: string;
  readonly #claimTimeoutMs: number;
  readonly #maxWaitMs: number;
  readonly #stuckTimeoutMs: number;
  readonly #events: WorkerQueueEvents;
  readonly #queue = new Fifo<HeldConnection>();
  /** Under way; without a connection if that went to another worker since. */
  #given: { id: number; sentAt: number; connection: HeldConnection | undefined } | undefined;
  #overdueTimer: NodeJS.Timeout | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;
  #stuckTimer: NodeJS.Timeout | undefined;
  #drained: (() => void) | undefined;
  state: 'starting' | 'ready' | 'stuck' | 'retired' | 'down' = 'starting';
  /** As the worker last told. */
  open = 0;
  /** Requests that the router itself passes on to the worker. */
  proxied = 0;
  handedOver = 0;

  constructor(
    worker: RouterWorker,
    options: {
      router: string;
      claimTimeoutMs: number;
      maxWaitMs: number;
      stuckTimeoutMs: number;
      events: WorkerQueueEvents;
    },
  ) {
    this.worker = worker;
    this.slotHash = hashText(worker.slot);
    this.#router = options.router;
    this.#claimTimeoutMs = options.claimTimeoutMs;
    this.#maxWaitMs = options.maxWaitMs;
    this.#stuckTimeoutMs = options.stuckTimeoutMs;
    this.#events = options.events;
    worker.channel.on('message', this.#onMessage);
    worker.channel.on('disconnect', this.#onDisconnect);
    // A process that has died with a handle under way has no `disconnect`: Node waits for the acknowledgement.
    worker.channel.on('close', this.#onDisconnect);
    worker.channel.on('exit', this.#onExit);
  }

  get queued(): number {
    return this.#queue.length + (this.#given?.connection === undefined ? 0 : 1);
  }

  /** A connection that is enqueued is sent at once. */
  get isFree(): boolean {
    return this.#given === undefined && this.#queue.length === 0;
  }

  /** Since when the first of its queue has waited; none when nothing is queued. */
  get firstWaitsSince(): number | undefined {
    // One that its timer has refused counts no more.
    while (this.#queue.first !== undefined && this.#queue.first.stage !== 'queued')
      this.#queue.shift();
    return this.#queue.first?.waitsSince;
  }

  /** Connections that are open in the worker or on their way. */
  get load(): number {
    return this.open + this.proxied + this.queued;
  }

  stats(): WorkerStats {
    const { slot, pid } = this.worker;
    const { state, queued, handedOver } = this;
    return { slot, pid, state, queued, open: this.open + this.proxied, handedOver };
  }

  enqueue(connection: HeldConnection): void {
    connection.stage = 'queued';
    this.#queue.push(connection);
    if (this.#given === undefined) this.#giveNext();
  }

  tell(message: RouterMessage): void {
    // A channel that is gone is told by its event.
    this.worker.channel.send(tagged(this.#router, message), undefined, {}, () => {});
  }

  /** Ends the worker's part in this router; resolves when all its connections have ended, or it is down. */
  drain(graceMs: number): Promise<void> {
    if (this.state === 'down' || this.state === 'starting') return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.tell({ kind: 'drain', graceMs });
    });
  }

  /** Stops listening. */
  release(): void {
    const { channel } = this.worker;
    channel.off('message', this.#onMessage);
    channel.off('disconnect', this.#onDisconnect);
    channel.off('close', this.#onDisconnect);
    channel.off('exit', this.#onExit);
    clearTimeout(this.#overdueTimer);
    clearTimeout(this.#lingerTimer);
    clearTimeout(this.#stuckTimer);
  }

  #giveNext(): void {
    for (;;) {
      const connection = this.#queue.shift();
      if (connection === undefined) {
        this.#events.free();
        return;
      }
      // Its timer may have refused it meanwhile.
      if (connection.stage !== 'queued') continue;
      if (connection.socket.destroyed) {
        this.#events.gone(connection);
      } else if (hasWaited(connection.waitsSince, this.#maxWaitMs)) {
        this.#events.overdue(connection);
      } else {
        this.#give(connection);
        return;
      }
    }
  }

  #give(connection: HeldConnection): void {
    const { id, socket, bytes, arrivedAt, choice, proxy } = connection;
    const sentAt = monotonicMs();
    connection.stage = 'given';
    connection.attempts += 1;
    this.#given = { id, sentAt, connection };
    if (this.#overdueTimer === undefined) this.#watch(this.#claimTimeoutMs);
    const message = tagged<RouterMessage>(this.#router, {
      kind: 'hand',
      id,
      bytes: bytes.length > MAX_TEXT_BYTES ? bytes : bytes.toString('latin1'),
      before: sentAt + CLAIM_SHARE * this.#claimTimeoutMs,
      arrivedAt,
      ...(choice.kind === 'key' && { key: choice.key }),
      ...(choice.kind !== 'any' && { isRouted: true }),
      ...(proxy && { proxy }),
    });
    // keepOpen: the connection is still ours, for another worker, until this one claims it.
    this.worker.channel.send(message, socket, { keepOpen: true }, (error) => {
      if (error !== null) this.#unsent(id, error);
    });
  }

  #unsent(id: number, error: NodeJS.ErrnoException): void {
    if (this.#given?.id !== id) return;
    if (error.code === 'ERR_IPC_CHANNEL_CLOSED' || error.code === 'EPIPE') this.#onExit();
    this.#untake('unsent');
    this.#resume();
  }

  /** One timer for many connections: it looks whether the one that is under way is the one it was set for. */
  #watch(delayMs: number): void {
    this.#overdueTimer = setTimeout(() => {
      this.#overdueTimer = undefined;
      const given = this.#given;
      if (given?.connection === undefined) return;
      const left = given.sentAt + this.#claimTimeoutMs - monotonicMs();
      if (left > 0) return this.#watch(left);
      // Timers run before what has arrived is read, and it was this process that may have been stopped.
      setImmediate(() => setImmediate(() => this.#overdue(given.id)));
    }, delayMs);
  }

  #overdue(id: number): void {
    // One that was given meanwhile has its own timer.
    if (this.state === 'down' || this.#given?.id !== id) return;
    if (this.state === 'ready') {
      this.state = 'stuck';
      this.#stuckTimer = setTimeout(() => {
        // What it has answered may have arrived and be unread: it was this process that may have been stopped.
        setImmediate(() => {
          if (this.state === 'stuck') this.#events.lost(this);
        });
      }, this.#stuckTimeoutMs);
    }
    this.#events.stuck(this);
    this.#events.untaken(this.#takeAll(), this, 'worker-stuck');
  }

  readonly #onMessage = (message: unknown): void => {
    if (!isTagged(message)) return;
    const told = message as typeof message & WorkerMessage;
    if (told.kind === 'attached') this.#events.attached(this);
    else if (told.router === this.#router) this.#hear(told);
  };

  #hear(told: WorkerMessage): void {
    switch (told.kind) {
      case 'claim':
        this.open = told.open;
        this.#claimed(told.id);
        break;
      case 'decline':
        this.#declined(told.id, told.why);
        break;
      case 'load':
        this.open = told.open;
        break;
      case 'ready':
        this.#becomeReady();
        break;
      case 'retire':
        this.#retire();
        break;
      case 'drained':
        this.open = 0;
        this.#drained?.();
        this.#drained = undefined;
    }
  }

  #claimed(id: number): void {
    const given = this.#given;
    if (given?.id !== id) return;
    this.#given = undefined;
    if (given.connection !== undefined) {
      this.handedOver += 1;
      this.#events.taken(given.connection, this);
    }
    this.#resume();
  }

  #declined(id: number, why: 'late' | 'draining' | 'missing'): void {
    if (this.#given?.id !== id) return;
    if (why === 'draining') this.#retire();
    if (this.#given.connection !== undefined) this.#untake('declined');
    else this.#given = undefined;
    this.#resume();
  }

  /** The worker has answered: the channel is free for another handle. */
  #resume(): void {
    if (this.state === 'stuck') this.#becomeReady();
    if (this.#given === undefined) this.#giveNext();
  }

  #becomeReady(): void {
    if (this.state === 'down' || this.state === 'retired' || this.state === 'ready') return;
    clearTimeout(this.#stuckTimer);
    this.state = 'ready';
    this.#events.ready(this);
  }

  #untake(reason: UntakenReason): void {
    const connection = this.#given?.connection;
    this.#given = undefined;
    if (connection !== undefined) this.#events.untaken([connection], this, reason);
  }

  #retire(): void {
    if (this.state === 'down') return;
    this.state = 'retired';
    this.#events.retired(this);
    const queued = this.#queue.take();
    if (queued.length > 0) this.#events.untaken(queued, this, 'declined');
    // Behind the handle that may be under way: the worker has then seen all that it will get.
    this.tell({ kind: 'retired' });
  }

  readonly #onExit = (): void => {
    if (this.state === 'down' || this.#lingerTimer !== undefined) return;
    // Its last claims may not be read yet; they are when the channel ends.
    this.state = 'retired';
    this.#lingerTimer = setTimeout(this.#onDisconnect, LINGER_MS);
    this.#events.retired(this);
    const queued = this.#queue.take();
    if (queued.length > 0) this.#events.untaken(queued, this, 'worker-down');
  };

  readonly #onDisconnect = (): void => {
    if (this.state === 'down') return;
    this.state = 'down';
    this.open = 0;
    this.release();
    this.#events.down(this);
    this.#drained?.();
    const untaken = this.#takeAll();
    this.#given = undefined;
    if (untaken.length > 0) this.#events.untaken(untaken, this, 'worker-down');
  };

  /** What is under way and what waits; that something is under way is remembered, as the channel is not free. */
  #takeAll(): HeldConnection[] {
    const given = this.#given?.connection;
    if (this.#given !== undefined) this.#given.connection = undefined;
    const queued = this.#queue.take();
    return given === undefined ? queued : [given, ...queued];
  }
}

/** Why a worker did not take a connection. */
export type UntakenReason = 'worker-stuck' | 'worker-down' | 'declined' | 'unsent';

/** What becomes of connections in a queue. */
export interface ConnectionEvents {
  taken(connection: HeldConnection, queue: WorkerQueue): void;
  /** These need another worker, or another try. */
  untaken(connections: HeldConnection[], queue: WorkerQueue, reason: UntakenReason): void;
  /** The client left while the connection was queued. */
  gone(connection: HeldConnection): void;
  /** Its turn has come, but it has waited for longer than it may. */
  overdue(connection: HeldConnection): void;
  /** A queue has run empty: its worker can be handed another connection at once. */
  free(): void;
}

/** What becomes of connections in a queue, and of its worker. */
export interface WorkerQueueEvents extends ConnectionEvents {
  attached(queue: WorkerQueue): void;
  ready(queue: WorkerQueue): void;
  stuck(queue: WorkerQueue): void;
  /** It was stuck for so long that it may be so for ever. */
  lost(queue: WorkerQueue): void;
  retired(queue: WorkerQueue): void;
  down(queue: WorkerQueue): void;
}
