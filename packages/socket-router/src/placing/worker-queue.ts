import { channel } from 'node:diagnostics_channel';
import { Fifo, hashText } from '@ticketing/kit';
import type { WorkerStats } from '../contract/socket-router.ts';
import type { RouterWorker } from '../contract/worker-source.ts';
import type { Leave } from '../options/attach-options.ts';
import { FirstBytes } from '../wire/first-bytes.ts';
import {
  type HandMessage,
  isTagged,
  type RouterMessage,
  TAKEN_SHARE,
  tagged,
  type WorkerMessage,
} from '../wire/messages.ts';
import { hasWaited, monotonicMs } from '../wire/monotonic-clock.ts';
import type { HeldConnection } from './held-connection.ts';

/** A worker claims a connection within this share of the claim timeout, so that its claim arrives before the end. */
const CLAIM_SHARE = 0.75;
/** Milliseconds for the last messages of a process that has ended. */
const LINGER_MS = 500;

/** Why a worker did not take a connection. */
export type UntakenReason = 'worker-stuck' | 'worker-down' | 'declined' | 'unsent';

/** What happens to connections in a queue. */
export interface ConnectionEvents {
  taken(connection: HeldConnection, queue: WorkerQueue): void;
  /** The connections need another worker, or another attempt. */
  untaken(connections: HeldConnection[], queue: WorkerQueue, reason: UntakenReason): void;
  /** The client left while the connection was queued. */
  gone(connection: HeldConnection): void;
  /** Its turn has come, but no worker could claim it within `maxWaitMs` from its arrival. */
  overdue(connection: HeldConnection): void;
  /** The queue has run empty: its worker can be handed another connection at once. */
  free(): void;
}

/** What happens to a worker; `lost`: it has been stuck for `stuckTimeoutMs`, and may never answer. */
export type WorkerChange =
  | 'attached'
  | 'ready'
  | 'stuck'
  | 'lost'
  | 'terminated'
  | 'retired'
  | 'down';

export interface WorkerQueueOptions {
  /** The router's id, in every message. */
  readonly router: string;
  readonly claimTimeoutMs: number;
  readonly maxWaitMs: number;
  readonly stuckTimeoutMs: number;
  readonly events: ConnectionEvents & {
    workerChanged(queue: WorkerQueue, change: WorkerChange): void;
  };
}

/** `{ slot, pid, url }` of a worker whose inspector listens. */
const inspectorOpenChannel = channel('ticketing:socket-router:inspector-open');

/**
 * Connections on their way to one worker. Node sends its whole queue of handles again at each acknowledgement, so one
 * handle is sent at a time and the others wait here. A handle that was written may not arrive, so the worker claims it.
 */
export class WorkerQueue {
  readonly worker: RouterWorker;
  readonly slotHash: number;
  readonly #options: WorkerQueueOptions;
  readonly #queue = new Fifo<HeldConnection>();
  /** The handle under way; without a connection if that has gone to another worker since. */
  #sent: { id: number; sentAt: number; connection: HeldConnection | undefined } | undefined;
  readonly #firstBytes: FirstBytes;
  #overdueTimer: NodeJS.Timeout | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;
  #stuckTimer: NodeJS.Timeout | undefined;
  #drained: (() => void) | undefined;
  state: 'starting' | 'ready' | 'stuck' | 'retired' | 'down' = 'starting';
  /** Whether its inspector is open. */
  isInspected = false;
  /** Connections that are open in the worker, as it last reported. */
  open = 0;
  /** Requests that the router proxies to the worker. */
  proxied = 0;
  handedOver = 0;

  constructor(worker: RouterWorker, options: WorkerQueueOptions) {
    this.worker = worker;
    this.slotHash = hashText(worker.slot);
    this.#firstBytes = new FirstBytes(worker.sharedFile);
    this.#options = options;
    worker.channel.on('message', this.#onMessage);
    worker.channel.on('disconnect', this.#onDisconnect);
    // A process that has died with a handle under way has no `disconnect`: Node waits for the acknowledgement.
    worker.channel.on('close', this.#onDisconnect);
    worker.channel.on('exit', this.#onExit);
  }

  get queued(): number {
    return this.#queue.length + (this.#sent?.connection?.stage === 'sent' ? 1 : 0);
  }

  /** Whether a connection that is enqueued is sent at once. */
  get isFree(): boolean {
    return this.#sent === undefined && this.#queue.length === 0;
  }

  /** Since when the first connection of the queue has waited; `undefined` when the queue is empty. */
  get firstWaitsSince(): number | undefined {
    // A connection that its timer has refused no longer counts.
    while (this.#queue.first !== undefined && this.#queue.first.stage !== 'queued')
      this.#queue.shift();
    return this.#queue.first?.waitsSince;
  }

  /** Connections that are open in the worker or on their way to it. */
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
    if (this.#sent === undefined) this.#handNext();
  }

  /** Takes the worker out of the ready ones until it answers: it has let the time for a request pass. */
  suspect(): void {
    if (this.state === 'ready') this.#becomeStuck();
  }

  send(message: RouterMessage): void {
    // Errors are ignored: the events of the channel report its end.
    this.worker.channel.send(tagged(this.#options.router, message), undefined, {}, () => {});
  }

  /** Asks the worker to finish; resolves when all its connections have ended, or it is down. */
  drain(leave: Leave): Promise<void> {
    if (this.state === 'down' || this.state === 'starting') return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.send({ kind: 'drain', ...leave });
    });
  }

  /** Stops listening to the worker. */
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

  #handNext(): void {
    const { events, maxWaitMs } = this.#options;
    for (;;) {
      const connection = this.#queue.shift();
      if (connection === undefined) {
        events.free();
        return;
      }
      // Its timer may have refused it meanwhile.
      if (connection.stage !== 'queued') continue;
      if (connection.socket.destroyed) {
        events.gone(connection);
      } else if (hasWaited(connection.arrivedAt, TAKEN_SHARE * maxWaitMs)) {
        events.overdue(connection);
      } else {
        this.#hand(connection);
        return;
      }
    }
  }

  #hand(connection: HeldConnection): void {
    const { id, socket, bytes, arrivedAt, hasHead, choice, proxy } = connection;
    const { router, claimTimeoutMs, maxWaitMs } = this.#options;
    const sentAt = monotonicMs();
    connection.stage = 'sent';
    connection.attempts += 1;
    this.#sent = { id, sentAt, connection };
    if (this.#overdueTimer === undefined) this.#watch(claimTimeoutMs);
    // A whole number is shorter in a message.
    const before = Math.floor(
      Math.min(sentAt + CLAIM_SHARE * claimTimeoutMs, arrivedAt + TAKEN_SHARE * maxWaitMs),
    );
    const message = tagged<HandMessage>(router, { kind: 'hand', id, before });
    if (bytes.length > 0) message.bytes = this.#firstBytes.encode(bytes);
    if (hasHead) message.arrivedAt = arrivedAt;
    if (choice.kind === 'key' && choice.among === undefined) message.key = choice.key;
    if (choice.kind !== 'any') message.isRouted = true;
    if (proxy !== undefined) message.proxy = proxy;
    // keepOpen: the router keeps the connection, for another worker, until this one claims it.
    this.worker.channel.send(message, socket, { keepOpen: true }, (error) => {
      if (error !== null) this.#unsent(id, error);
    });
  }

  #unsent(id: number, error: NodeJS.ErrnoException): void {
    if (this.#sent?.id !== id) return;
    if (error.code === 'ERR_IPC_CHANNEL_CLOSED' || error.code === 'EPIPE') this.#onExit();
    this.#untake('unsent');
    this.#resume();
  }

  /** One timer serves many connections: when it ends it checks the one that is under way then. */
  #watch(delayMs: number): void {
    this.#overdueTimer = setTimeout(() => {
      this.#overdueTimer = undefined;
      const sent = this.#sent;
      if (sent?.connection === undefined) return;
      const left = sent.sentAt + this.#options.claimTimeoutMs - monotonicMs();
      if (left > 0) return this.#watch(left);
      // Timers run before messages are read, and it may be this process that was stopped.
      setImmediate(() => setImmediate(() => this.#overdue(sent.id)));
    }, delayMs);
  }

  #overdue(id: number): void {
    // A connection that was sent meanwhile has a timer of its own.
    if (this.state === 'down' || this.#sent?.id !== id) return;
    this.#becomeStuck();
    this.#untaken(this.#takeAll(), 'worker-stuck');
  }

  #becomeStuck(): void {
    const { events } = this.#options;
    if (this.state === 'ready') {
      this.state = 'stuck';
      this.#watchStuck();
    }
    events.workerChanged(this, 'stuck');
  }

  /** It may be at a breakpoint: others get its connections, and it is not replaced. */
  #watchStuck(): void {
    this.#stuckTimer = setTimeout(() => {
      if (this.isInspected) return this.#watchStuck();
      // Its answer may have arrived and be unread: it may be this process that was stopped.
      setImmediate(() => {
        if (this.state === 'stuck') this.#options.events.workerChanged(this, 'lost');
      });
    }, this.#options.stuckTimeoutMs);
  }

  readonly #onMessage = (received: unknown): void => {
    if (!isTagged(received)) return;
    const message = received as typeof received & WorkerMessage;
    if (message.kind === 'attached') this.#options.events.workerChanged(this, 'attached');
    else if (message.router === this.#options.router) this.#onWorkerMessage(message);
  };

  #onWorkerMessage(message: WorkerMessage): void {
    switch (message.kind) {
      case 'claim':
        this.open = message.open;
        this.#claimed(message.id);
        break;
      case 'decline':
        this.#declined(message.id, message.why);
        break;
      case 'load':
        this.open = message.open;
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
        break;
      case 'terminated':
        this.#options.events.workerChanged(this, 'terminated');
        break;
      case 'inspector':
        this.#inspected(message.url);
    }
  }

  #inspected(url: unknown): void {
    this.isInspected = typeof url === 'string';
    if (!this.isInspected || !inspectorOpenChannel.hasSubscribers) return;
    const { slot, pid } = this.worker;
    inspectorOpenChannel.publish({ slot, pid, url });
  }

  #claimed(id: number): void {
    const sent = this.#sent;
    if (sent?.id !== id) return;
    this.#sent = undefined;
    if (sent.connection !== undefined && sent.connection.stage !== 'done') {
      this.handedOver += 1;
      this.#options.events.taken(sent.connection, this);
    }
    this.#resume();
  }

  #declined(id: number, why: 'late' | 'draining' | 'missing'): void {
    if (this.#sent?.id !== id) return;
    if (why === 'draining') this.#retire();
    this.#untake('declined');
    this.#resume();
  }

  /** The worker has answered: the channel is free for another handle. */
  #resume(): void {
    if (this.state === 'stuck') this.#becomeReady();
    if (this.#sent === undefined) this.#handNext();
  }

  #becomeReady(): void {
    if (this.state === 'down' || this.state === 'retired' || this.state === 'ready') return;
    clearTimeout(this.#stuckTimer);
    this.state = 'ready';
    this.#options.events.workerChanged(this, 'ready');
  }

  #untake(reason: UntakenReason): void {
    const connection = this.#sent?.connection;
    this.#sent = undefined;
    if (connection !== undefined) this.#untaken([connection], reason);
  }

  /** Reports connections that need another worker, if any: the timers of others have refused them. */
  #untaken(connections: readonly HeldConnection[], reason: UntakenReason): void {
    const held = connections.filter(({ stage }) => stage !== 'done');
    if (held.length > 0) this.#options.events.untaken(held, this, reason);
  }

  /** Takes the worker out of the ready ones, and gives its queue to others. */
  #leave(reason: UntakenReason): void {
    this.state = 'retired';
    this.#options.events.workerChanged(this, 'retired');
    const queued = this.#queue.take();
    this.#untaken(queued, reason);
  }

  #retire(): void {
    if (this.state === 'down') return;
    this.#leave('declined');
    // Sent behind the handle that may be under way: when it arrives the worker has seen all that it gets.
    this.send({ kind: 'retired' });
  }

  readonly #onExit = (): void => {
    if (this.state === 'down' || this.#lingerTimer !== undefined) return;
    // Its last claims may not be read yet; they are when the channel ends.
    this.#lingerTimer = setTimeout(this.#onDisconnect, LINGER_MS);
    this.#leave('worker-down');
  };

  readonly #onDisconnect = (): void => {
    if (this.state === 'down') return;
    this.state = 'down';
    this.open = 0;
    this.release();
    this.#options.events.workerChanged(this, 'down');
    this.#drained?.();
    const untaken = this.#takeAll();
    this.#sent = undefined;
    this.#untaken(untaken, 'worker-down');
  };

  /** Returns the connections under way and in the queue. The handle stays under way: the channel is not free. */
  #takeAll(): HeldConnection[] {
    const connection = this.#sent?.connection;
    if (this.#sent !== undefined) this.#sent.connection = undefined;
    const queued = this.#queue.take();
    return connection === undefined ? queued : [connection, ...queued];
  }
}
