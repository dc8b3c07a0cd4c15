import { EventEmitter, once } from 'node:events';
import { type AddressInfo, type ListenOptions, Server } from 'node:net';
import { createBucketCounts, type EventChannel } from '@ticketing/kit';
import type { Head } from '../contract/head.ts';
import type { LeaveOptions } from '../contract/leave-options.ts';
import { routerChannel } from '../contract/router-channel.ts';
import type {
  EmitRouterEvent,
  RouterEvents,
  RouterStats,
  SocketRouter,
} from '../contract/socket-router.ts';
import { RouterError } from '../errors.ts';
import { loadReaders } from '../intake/head-sniffer.ts';
import type { Intake, IntakeDependencies, RouterCounts } from '../intake/intake.ts';
import { SocketIntake } from '../intake/socket-intake.ts';
import { type Leave, resolveLeave } from '../options/attach-options.ts';
import {
  type ResolvedRouterOptions,
  type RouterOptions,
  resolveRouterOptions,
} from '../options/router-options.ts';
import { type Decision, decide } from '../placing/decide.ts';
import { Workers } from '../placing/workers.ts';
import { monotonicMs, withinMs } from '../wire/monotonic-clock.ts';
import { type Health, healthAnswer } from './health.ts';
import { SocketFolder } from './socket-folder.ts';

const handedOverChannel = routerChannel('ticketing:socket-router:handed-over');

const eventChannels: { readonly [E in keyof RouterEvents]: EventChannel<RouterEvents[E]> } = {
  refused: routerChannel('ticketing:socket-router:refused'),
  rerouted: routerChannel('ticketing:socket-router:rerouted'),
  'worker-stuck': routerChannel('ticketing:socket-router:worker-stuck'),
  'worker-replaced': routerChannel('ticketing:socket-router:worker-replaced'),
  'worker-down': routerChannel('ticketing:socket-router:worker-down'),
  'worker-ready': routerChannel('ticketing:socket-router:worker-ready'),
  'circuit-open': routerChannel('ticketing:socket-router:circuit-open'),
};

/** Returned by `listen` once a signal has closed the router. */
const NO_ADDRESS: AddressInfo = { address: '', family: '', port: 0 };

/** Milliseconds of a grace for workers to report that they have finished, and to exit. */
const EXIT_MS = 1000;

type State =
  | { readonly kind: 'idle' | 'listening' }
  | { readonly kind: 'draining' | 'closed'; readonly end: Promise<void> };

/** The lifecycle of a router: its intake accepts clients, its workers get them. */
class Router implements SocketRouter {
  readonly #options: ResolvedRouterOptions;
  readonly #emitter = new EventEmitter();
  readonly #counts: RouterCounts = {
    accepted: 0,
    handedOver: 0,
    gone: 0,
    answered: 0,
    refused: 0,
    rerouted: 0,
  };
  readonly #claimMs = createBucketCounts();
  readonly #socketFolder: SocketFolder | undefined;
  readonly #workers: Workers;
  /** Present from `listen` on. */
  #intake: Intake | undefined;
  #state: State = { kind: 'idle' };
  /** True if a signal has ended the program: its next calls must not make that a failure. */
  #closedBySignal = false;

  constructor(options: ResolvedRouterOptions) {
    const { mode, laterRequests, workers, limits } = options;
    this.#options = options;
    const folder =
      mode === 'passthru' || laterRequests === 'forward' ? new SocketFolder() : undefined;
    this.#socketFolder = folder;
    this.#workers = new Workers({
      ...limits,
      sources: workers,
      router: newId(),
      laterRequests,
      nextSocketPath: folder && (() => folder.nextPath()),
      socketEnded: folder && ((owner) => folder.removeFilesOf(owner)),
      emit: this.#emit,
    });
    this.#workers.start();
    if (options.signals) this.#onSignals('on');
  }

  async listen(options: ListenOptions): Promise<AddressInfo> {
    try {
      return await this.#listen(options);
    } catch (error) {
      if (this.#closedBySignal) return NO_ADDRESS;
      throw error;
    }
  }

  async #listen(options: ListenOptions): Promise<AddressInfo> {
    this.#expect('idle');
    this.#state = { kind: 'listening' };
    let server: Server;
    try {
      const createIntake = await loadIntake(this.#options);
      this.#expect('listening');
      this.#intake ??= createIntake({
        options: this.#options,
        workers: this.#workers,
        count: (name, by = 1) => {
          this.#counts[name] += by;
        },
        emit: this.#emit,
        decide: (head) => this.#decide(head),
        handedOver: (slot, kind, arrivedAt) => {
          const ms = monotonicMs() - arrivedAt;
          this.#counts.handedOver += 1;
          this.#claimMs.add(ms);
          if (!handedOverChannel.hasSubscribers) return;
          handedOverChannel.publish({ slot, kind, ms });
        },
        refused: (status, reason) => {
          this.#counts.refused += 1;
          this.#emit('refused', { status, reason });
        },
      });
      this.#workers.notify(this.#intake);
      server = this.#intake.server;
      server.listen(options);
      // A server that is closed before it listens emits only `close`.
      await Promise.race([once(server, 'listening'), once(server, 'close')]);
      if (this.#state.kind !== 'listening') server.close();
      this.#expect('listening');
    } catch (error) {
      if (this.#state.kind === 'listening') this.#state = { kind: 'idle' };
      throw error;
    }
    // A connection could not be accepted, for want of descriptors: the next one may be.
    server.on('error', () => this.#emit('refused', { status: 0, reason: 'accept-failed' }));
    return server.address() as AddressInfo;
  }

  ready(): Promise<void> {
    const isOpen = this.#state.kind === 'idle' || this.#state.kind === 'listening';
    return isOpen ? this.#workers.sources.ready() : Promise.resolve();
  }

  close(options?: LeaveOptions): Promise<void> {
    const leave = resolveLeave('close router', options);
    if (this.#state.kind === 'draining' || this.#state.kind === 'closed') return this.#state.end;
    const end = this.#end(leave);
    this.#state = { kind: 'draining', end };
    this.#workers.sources.giveUp();
    return end;
  }

  stats(): RouterStats {
    return {
      state: this.#state.kind,
      ...this.#counts,
      ...(this.#intake?.stats() ?? { reading: 0, waiting: 0 }),
      claimMs: this.#claimMs.summary(),
      workers: [...this.#workers.queues].map((queue) => queue.stats()),
      ended: { ...this.#workers.ended },
    };
  }

  on<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this {
    this.#emitter.on(event, listener);
    return this;
  }

  off<E extends keyof RouterEvents>(event: E, listener: (data: RouterEvents[E]) => void): this {
    this.#emitter.off(event, listener);
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #emit: EmitRouterEvent = (event, data) => {
    const eventChannel = eventChannels[event];
    if (eventChannel.hasSubscribers) eventChannel.publish(data);
    this.#emitter.emit(event, data);
  };

  #decide(head: () => Head): Decision {
    const { health, route } = this.#options;
    if (health === undefined) return decide(route, head);
    const read = head();
    const answer = healthAnswer(health, read, () => this.#health());
    return answer === undefined ? decide(route, () => read) : { kind: 'answer', answer };
  }

  #health(): Health {
    if (this.#state.kind !== 'listening') return 'closing';
    const { sources, ready } = this.#workers;
    if (sources.wereReady && ready.length > 0) return 'ready';
    return sources.failed === undefined ? 'starting' : 'circuit-open';
  }

  #onSignals(change: 'on' | 'off'): void {
    process[change]('SIGTERM', this.#stop);
    process[change]('SIGINT', this.#stop);
    process[change]('SIGHUP', this.#reload);
  }

  readonly #stop = (): void => {
    if (this.#state.kind === 'idle' || this.#state.kind === 'listening')
      this.#closedBySignal = true;
    void this.close();
  };

  /** Reloads the sources. One whose reload fails reports it in its own events, and keeps its workers. */
  readonly #reload = (): void => {
    for (const source of this.#options.workers) source.reload?.().catch(() => {});
  };

  #expect(expected: 'idle' | 'listening'): void {
    const state = this.#state.kind;
    if (state === expected) return;
    const why = state === 'listening' ? 'the router listens already' : 'the router is closed';
    const message = `Cannot listen: ${why}; create another router`;
    throw new RouterError('ERR_STATE', message, { data: { state } });
  }

  async #end({ graceMs, lameDuckMs }: Leave): Promise<void> {
    const deadline = performance.now() + graceMs;
    const exitMs = Math.min(EXIT_MS, graceMs / 2);
    const left = (keptMs = 0) => Math.max(0, deadline - keptMs - performance.now());
    const intake = this.#intake;
    // The `close` of an HTTP server would end idle connections at once.
    if (intake !== undefined) Server.prototype.close.call(intake.server);
    this.#workers.announceDrain();
    if (intake !== undefined) await withinMs(intake.finish(lameDuckMs), left(exitMs));
    intake?.refuseWaiting();
    // A worker cuts off at its deadline and reports it; a stopped worker reports nothing.
    const drained = this.#workers.drain({
      graceMs: left(exitMs),
      lameDuckMs: this.#workers.haveClients ? lameDuckMs : 0,
    });
    await withinMs(drained, left(exitMs / 2));
    this.#workers.release();
    intake?.destroy();
    try {
      await this.#workers.sources.close(left());
    } finally {
      await this.#socketFolder?.remove();
      if (this.#options.signals) this.#onSignals('off');
      if (this.#state.kind === 'draining') this.#state = { kind: 'closed', end: this.#state.end };
    }
  }
}

/** Returns an id that no other router of this process has. Without `node:crypto`, which is half a megabyte of heap, also in workers. */
function newId(): string {
  return `${process.pid}-${process.hrtime.bigint().toString(36)}`;
}

/** Loads what the options need, and no more: the code of mode `passthru`, and the optional readers. */
async function loadIntake(
  options: ResolvedRouterOptions,
): Promise<(dependencies: IntakeDependencies) => Intake> {
  const readers = await loadReaders(options);
  if (options.mode === 'socket') return (dependencies) => new SocketIntake(dependencies, readers);
  const { PassthruIntake } = await import('../intake/passthru-intake.ts');
  return (dependencies) => new PassthruIntake(dependencies, readers);
}

/**
 * Creates a router and starts its workers; connections come with `listen`. A connection is in one place at a time: a
 * worker that does not claim it loses it to another, and a worker that has claimed it keeps it.
 *
 * @throws TypeError or RangeError for options that are unknown, wrong or out of range
 * @example
 * const router = createSocketRouter({ workers: forkWorkers(new URL('./worker.js', import.meta.url), { workers: 4 }) });
 * await router.listen({ port: 8080 });
 */
export function createSocketRouter(options: RouterOptions): SocketRouter {
  return new Router(resolveRouterOptions(options));
}
