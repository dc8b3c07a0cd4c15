import { Fifo, hashText } from '@ticketing/kit';
import { routerChannel } from '../contract/router-channel.ts';
import type { WorkerStats } from '../contract/socket-router.ts';
import type { RouterWorker } from '../contract/worker-source.ts';
import type { Leave } from '../options/attach-options.ts';
import {
  CLAIMABLE_SHARE,
  isTagged,
  type RouterMessage,
  tagged,
  type WorkerMessage,
} from '../wire/messages.ts';
import { hasWaited } from '../wire/monotonic-clock.ts';
import { HandOver, type HandOverEvent, type HandOverOptions } from './hand-over.ts';
import { type HeldConnection, queue as markQueued } from './held-connection.ts';

/** Milliseconds for the last messages of a process that has ended. */
const LINGER_MS = 500;

/** Reason why a worker did not claim a connection. */
export type UnclaimedReason = 'worker-stuck' | 'worker-down' | 'declined' | 'unsent';

/** Change of connections in a worker queue. */
export type ConnectionEvent =
  | { readonly kind: 'claimed'; readonly connection: HeldConnection }
  /** The connections need another worker, or another attempt. */
  | {
      readonly kind: 'unclaimed';
      readonly connections: readonly HeldConnection[];
      readonly reason: UnclaimedReason;
    }
  /** The client left while the connection was queued. */
  | { readonly kind: 'gone'; readonly connection: HeldConnection }
  /** Connection at the head of the queue that no worker could claim within `maxWaitMs` from its arrival. */
  | { readonly kind: 'overdue'; readonly connection: HeldConnection }
  /** The queue has run empty: its worker can be handed another connection at once. */
  | { readonly kind: 'free' };

/** Change of a worker. */
export type WorkerEvent =
  | { readonly kind: 'attached' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'stuck' }
  /** Stuck for `stuckTimeoutMs`: the worker may never answer. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'terminated' }
  | { readonly kind: 'retired' }
  | { readonly kind: 'down' };

export type QueueEvent = ConnectionEvent | WorkerEvent;

export interface WorkerQueueOptions extends Omit<HandOverOptions, 'emit'> {
  readonly stuckTimeoutMs: number;
  /** Present when the workers open unix sockets: returns a path that was not used before. */
  readonly nextSocketPath?: (() => string) | undefined;
  readonly emit: (queue: WorkerQueue, event: QueueEvent) => void;
}

/** State of a worker, with the timer that may end it. */
type WorkerState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready' }
  /** Gets no connections until it answers. */
  | { readonly kind: 'stuck'; readonly timer: NodeJS.Timeout }
  /** Gets no further connections; with a timer its process has ended. */
  | { readonly kind: 'retired'; readonly timer?: NodeJS.Timeout }
  | { readonly kind: 'down' };

const STARTING: WorkerState = { kind: 'starting' };
const READY: WorkerState = { kind: 'ready' };
const DOWN: WorkerState = { kind: 'down' };
const FREE: QueueEvent = { kind: 'free' };

const inspectorOpenChannel = routerChannel('ticketing:socket-router:inspector-open');

/** Connections on their way to one worker: one is handed over at a time, and the others wait here. */
export class WorkerQueue {
  readonly worker: RouterWorker;
  readonly slotHash: number;
  /** Path of the unix socket that the worker opens, if it opens one. */
  readonly socketPath: string | undefined;
  readonly #options: WorkerQueueOptions;
  readonly #handOver: HandOver;
  readonly #waiting = new Fifo<HeldConnection>();
  readonly #unlisten: () => void;
  #state = STARTING;
  #isInspected = false;
  #drained: (() => void) | undefined;
  #open = 0;
  #proxied = 0;
  #handedOver = 0;

  constructor(worker: RouterWorker, options: WorkerQueueOptions) {
    this.worker = worker;
    this.slotHash = hashText(worker.slot);
    this.socketPath = options.nextSocketPath?.();
    this.#options = options;
    const { router, claimTimeoutMs, maxWaitMs } = options;
    this.#handOver = new HandOver(worker, {
      router,
      claimTimeoutMs,
      maxWaitMs,
      emit: (event) => this.#handOverEnded(event),
    });
    this.#unlisten = listenTo(this);
  }

  get state(): WorkerStats['state'] {
    return this.#state.kind;
  }

  /** Connections that wait for the worker, including the one under way. */
  get queued(): number {
    return this.#waiting.length + (this.#handOver.hasConnection ? 1 : 0);
  }

  /** True if a connection that is enqueued is sent at once. */
  get isFree(): boolean {
    return this.#handOver.isFree && this.#waiting.length === 0;
  }

  /** Connections that are open in the worker, as it last reported. */
  get open(): number {
    return this.#open;
  }

  /** Requests that the router proxies to the worker. */
  get proxied(): number {
    return this.#proxied;
  }

  get handedOver(): number {
    return this.#handedOver;
  }

  /** Time from which the first connection of the queue has waited; `undefined` when the queue is empty. */
  get firstWaitsSince(): number | undefined {
    for (;;) {
      const stage = this.#waiting.first?.stage;
      if (stage === undefined) return undefined;
      if (stage.kind === 'queued') return stage.since;
      // Its timer has refused it.
      this.#waiting.shift();
    }
  }

  /** Connections that are open in the worker or on their way to it. */
  get load(): number {
    return this.#open + this.#proxied + this.queued;
  }

  stats(): WorkerStats {
    const { slot, pid } = this.worker;
    const { state, queued, handedOver } = this;
    return { slot, pid, state, queued, open: this.#open + this.#proxied, handedOver };
  }

  /** Queues a connection. `since`: the time from which it waited while workers were ready. */
  enqueue(connection: HeldConnection, since?: number): void {
    markQueued(connection, since);
    this.#waiting.push(connection);
    if (this.#handOver.isFree) this.#handNext();
  }

  /** Counts a request that the router proxies to the worker. */
  beginRequest(): void {
    this.#proxied += 1;
    this.#handedOver += 1;
  }

  /** Counts the end of such a request. */
  endRequest(): void {
    this.#proxied -= 1;
  }

  /** Counts a request that was not handed over after all. */
  takeBack(): void {
    this.#handedOver -= 1;
  }

  /** Takes the worker out of the ready ones until it answers: it has let the time for a request pass. */
  suspect(): void {
    if (this.#state === READY) this.#becomeStuck();
  }

  send(message: RouterMessage): void {
    // Errors are ignored: the events of the channel report its end.
    this.worker.channel.send(tagged(this.#options.router, message), undefined, {}, () => {});
  }

  /** Asks the worker to finish; resolves when all its connections have ended, or it is down. */
  drain({ graceMs, lameDuckMs }: Leave): Promise<void> {
    if (this.#state === DOWN || this.#state === STARTING) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.send({ kind: 'drain', graceMs, lameDuckMs });
    });
  }

  /** Stops listening to the worker. */
  release(): void {
    this.#unlisten();
    this.#handOver.release();
    clearStateTimer(this.#state);
  }

  /** Receives a message of the worker's channel. */
  receive(received: unknown): void {
    if (!isTagged(received)) return;
    const message = received as typeof received & WorkerMessage;
    if (message.kind === 'attached') this.#emit({ kind: 'attached' });
    else if (message.router === this.#options.router) this.#receiveOwn(message);
  }

  /** Notes that the worker's process has ended. Its last claims may not be read yet; they are when the channel ends. */
  exited(): void {
    const state = this.#state;
    if (state === DOWN || (state.kind === 'retired' && state.timer !== undefined)) return;
    const timer = setTimeout(() => this.disconnected(), LINGER_MS);
    this.#retire({ kind: 'retired', timer }, 'worker-down');
  }

  /** Notes that the worker's channel has ended. */
  disconnected(): void {
    if (this.#state === DOWN) return;
    this.#become(DOWN);
    this.#open = 0;
    this.release();
    this.#emit({ kind: 'down' });
    this.#drained?.();
    this.#unclaimed([this.#handOver.end(), ...this.#waiting.take()], 'worker-down');
  }

  #emit(event: QueueEvent): void {
    this.#options.emit(this, event);
  }

  /** Changes the state. No other function does. */
  #become(state: WorkerState): void {
    clearStateTimer(this.#state);
    this.#state = state;
  }

  #receiveOwn(message: WorkerMessage): void {
    switch (message.kind) {
      case 'claim':
        this.#open = message.open;
        this.#claimed(message.id);
        break;
      case 'decline':
        this.#declined(message.id, message.why);
        break;
      case 'load':
        this.#open = message.open;
        break;
      case 'ready':
        this.#becomeReady();
        break;
      case 'retire':
        this.#retireAtRequest();
        break;
      case 'drained':
        this.#open = 0;
        this.#drained?.();
        this.#drained = undefined;
        break;
      case 'terminated':
        this.#emit({ kind: 'terminated' });
        break;
      case 'inspector':
        this.#inspected(message.url);
    }
  }

  #handNext(): void {
    for (;;) {
      const connection = this.#waiting.shift();
      if (connection === undefined) {
        this.#emit(FREE);
        return;
      }
      // Its timer may have refused it meanwhile.
      if (connection.stage.kind !== 'queued') continue;
      if (connection.socket.destroyed) {
        this.#emit({ kind: 'gone', connection });
      } else if (hasWaited(connection.arrivedAt, CLAIMABLE_SHARE * this.#options.maxWaitMs)) {
        this.#emit({ kind: 'overdue', connection });
      } else {
        this.#handOver.begin(connection);
        return;
      }
    }
  }

  #handOverEnded(event: HandOverEvent): void {
    if (event.kind === 'unsent') {
      if (event.isClosed) this.exited();
      this.#unclaimed([event.connection], 'unsent');
      this.#resume();
    } else if (this.#state !== DOWN) {
      this.#becomeStuck();
      const connection = this.#handOver.takeConnection();
      this.#unclaimed([connection, ...this.#waiting.take()], 'worker-stuck');
    }
  }

  #becomeStuck(): void {
    if (this.#state === READY) this.#become({ kind: 'stuck', timer: this.#watchStuck() });
    this.#emit({ kind: 'stuck' });
  }

  #watchStuck(): NodeJS.Timeout {
    return setTimeout(() => {
      if (this.#state.kind !== 'stuck') return;
      // It may be at a breakpoint: others get its connections, and it is not replaced.
      if (this.#isInspected) {
        this.#become({ kind: 'stuck', timer: this.#watchStuck() });
        return;
      }
      // Its answer may have arrived and be unread: it may be this process that was stopped.
      setImmediate(() => {
        if (this.#state.kind === 'stuck') this.#emit({ kind: 'lost' });
      });
    }, this.#options.stuckTimeoutMs);
  }

  #inspected(url: unknown): void {
    this.#isInspected = typeof url === 'string';
    if (typeof url !== 'string' || !inspectorOpenChannel.hasSubscribers) return;
    const { slot, pid } = this.worker;
    inspectorOpenChannel.publish({ slot, pid, url });
  }

  #claimed(id: number): void {
    if (!this.#handOver.isUnderWay(id)) return;
    const connection = this.#handOver.end();
    if (connection !== undefined && connection.stage.kind !== 'done') {
      this.#handedOver += 1;
      this.#emit({ kind: 'claimed', connection });
    }
    this.#resume();
  }

  #declined(id: number, why: 'late' | 'draining' | 'missing'): void {
    if (!this.#handOver.isUnderWay(id)) return;
    if (why === 'draining') this.#retireAtRequest();
    this.#unclaimed([this.#handOver.end()], 'declined');
    this.#resume();
  }

  /** Goes on when the worker has answered: the channel is free for another handle. */
  #resume(): void {
    if (this.#state.kind === 'stuck') this.#becomeReady();
    if (this.#handOver.isFree) this.#handNext();
  }

  #becomeReady(): void {
    if (this.#state !== STARTING && this.#state.kind !== 'stuck') return;
    this.#become(READY);
    this.#emit({ kind: 'ready' });
  }

  /** Reports connections that need another worker, if any: the timers of others have refused them. */
  #unclaimed(all: readonly (HeldConnection | undefined)[], reason: UnclaimedReason): void {
    const connections = all.filter(
      (each): each is HeldConnection => each !== undefined && each.stage.kind !== 'done',
    );
    if (connections.length > 0) this.#emit({ kind: 'unclaimed', connections, reason });
  }

  /** Takes the worker out of the ready ones, and gives its queue to others. */
  #retire(state: WorkerState, reason: UnclaimedReason): void {
    this.#become(state);
    this.#emit({ kind: 'retired' });
    this.#unclaimed(this.#waiting.take(), reason);
  }

  #retireAtRequest(): void {
    const state = this.#state;
    if (state === DOWN) return;
    if (state.kind !== 'retired') this.#retire({ kind: 'retired' }, 'declined');
    // Sent behind the handle that may be under way: when it arrives the worker has seen all that it gets.
    this.send({ kind: 'retired' });
  }
}

/** Passes what a worker's channel reports to its queue. Returns a function that ends that. */
function listenTo(queue: WorkerQueue): () => void {
  const { channel } = queue.worker;
  const onMessage = (message: unknown): void => queue.receive(message);
  const onDisconnect = (): void => queue.disconnected();
  const onExit = (): void => queue.exited();
  channel.on('message', onMessage);
  channel.on('disconnect', onDisconnect);
  // A process that has died with a handle under way has no `disconnect`: Node waits for the acknowledgement.
  channel.on('close', onDisconnect);
  channel.on('exit', onExit);
  return () => {
    channel.off('message', onMessage);
    channel.off('disconnect', onDisconnect);
    channel.off('close', onDisconnect);
    channel.off('exit', onExit);
  };
}

function clearStateTimer(state: WorkerState): void {
  if (state.kind === 'stuck' || state.kind === 'retired') clearTimeout(state.timer);
}
