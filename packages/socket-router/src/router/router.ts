import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, ListenOptions, Server } from 'node:net';
import type { RouterOptions } from '../contract/router-options.ts';
import type { RouterEvents, RouterStats, SocketRouter } from '../contract/socket-router.ts';
import { RouterError } from '../errors.ts';
import { SocketIntake } from '../handing-over/socket-intake.ts';
import { resolveGrace } from '../options/resolve-attach-options.ts';
import {
  type ResolvedRouterOptions,
  resolveRouterOptions,
} from '../options/resolve-router-options.ts';
import { Workers } from '../placing/workers.ts';
import { loadReaders } from '../reading/head-sniffer.ts';
import { withinMs } from '../wire/monotonic-clock.ts';
import { createRouterCounts, type Intake, type IntakeParts } from './intake.ts';
import { RouterEmitter } from './router-emitter.ts';
import { SocketFolder } from './socket-folder.ts';

type State =
  | { readonly kind: 'idle' | 'listening' }
  | { readonly kind: 'draining' | 'closed'; readonly end: Promise<void> };

/** The life of a router: clients come in by its mode's intake, workers are its workers. */
class Router implements SocketRouter {
  readonly #options: ResolvedRouterOptions;
  readonly #emitter = new RouterEmitter();
  readonly #counts = createRouterCounts();
  readonly #socketFolder: SocketFolder | undefined;
  readonly #workers: Workers;
  /** From `listen` on. */
  #intake: Intake | undefined;
  #state: State = { kind: 'idle' };

  constructor(options: ResolvedRouterOptions) {
    const { mode, affinity } = options;
    this.#options = options;
    if (mode === 'passthru' || affinity === 'forward') this.#socketFolder = new SocketFolder();
    this.#workers = new Workers(
      {
        source: options.workers,
        router: randomUUID(),
        affinity,
        claimTimeoutMs: options.limits.claimTimeoutMs,
        maxWaitMs: options.limits.maxWaitMs,
        stuckTimeoutMs: options.limits.stuckTimeoutMs,
        socketFolder: this.#socketFolder,
        tellPeers: affinity === 'forward',
        emitter: this.#emitter,
      },
      {
        changed: () => this.#intake?.workersChanged(),
        taken: (connection, queue) => this.#intake?.taken?.(connection, queue),
        untaken: (connections, queue, reason) =>
          this.#intake?.untaken?.(connections, queue, reason),
        gone: (connection) => this.#intake?.gone?.(connection),
        overdue: (connection) => this.#intake?.overdue?.(connection),
        free: () => this.#intake?.free?.(),
      },
    );
    this.#workers.start();
  }

  async listen(options: ListenOptions): Promise<AddressInfo> {
    this.#expect('idle');
    this.#state = { kind: 'listening' };
    let server: Server;
    try {
      const createIntake = await loadIntake(this.#options);
      this.#expect('listening');
      this.#intake ??= createIntake({
        options: this.#options,
        workers: this.#workers,
        counts: this.#counts,
        emitter: this.#emitter,
      });
      server = this.#intake.server;
      server.listen(options);
      // A server that is closed before it listens says no more than that.
      await Promise.race([once(server, 'listening'), once(server, 'close')]);
      if (this.#state.kind !== 'listening') server.close();
      this.#expect('listening');
    } catch (error) {
      if (this.#state.kind === 'listening') this.#state = { kind: 'idle' };
      throw error;
    }
    // A connection that could not be accepted, for want of descriptors: the next one may be.
    server.on('error', () => this.#emitter.emit('refused', { status: 0, reason: 'accept-failed' }));
    return server.address() as AddressInfo;
  }

  close(options?: { readonly graceMs?: number }): Promise<void> {
    const graceMs = resolveGrace('close router', options);
    if (this.#state.kind === 'draining' || this.#state.kind === 'closed') return this.#state.end;
    const end = this.#end(graceMs);
    this.#state = { kind: 'draining', end };
    return end;
  }

  stats(): RouterStats {
    return {
      state: this.#state.kind,
      ...this.#counts,
      ...(this.#intake?.stats() ?? { reading: 0, waiting: 0 }),
      workers: [...this.#workers.queues].map((queue) => queue.stats()),
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

  #expect(expected: 'idle' | 'listening'): void {
    const state = this.#state.kind;
    if (state === expected) return;
    const message = `Cannot listen: an idle router expected, got one that is ${state}`;
    throw new RouterError('ERR_STATE', message, { data: { state } });
  }

  async #end(graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs;
    const left = () => Math.max(0, deadline - performance.now());
    this.#intake?.server.close();
    this.#workers.announceDrain();
    if (this.#intake !== undefined) await withinMs(this.#intake.finish(), left());
    this.#intake?.refuseWaiting();
    // A worker cuts off at the deadline and says so; one that is stopped says nothing.
    await withinMs(this.#workers.drain(left()), left() + 1000);
    this.#workers.release();
    this.#intake?.destroy();
    try {
      await this.#options.workers.close?.({ graceMs: left() + 1000 });
    } finally {
      this.#socketFolder?.remove();
      if (this.#state.kind === 'draining') this.#state = { kind: 'closed', end: this.#state.end };
    }
  }
}

/** Loads what the options need, and no more: the code of mode `passthru` with undici, and the optional readers. */
async function loadIntake(options: ResolvedRouterOptions): Promise<(parts: IntakeParts) => Intake> {
  const readers = await loadReaders(options);
  if (options.mode === 'socket') return (parts) => new SocketIntake(parts, readers);
  const { PassthruIntake } = await import('../passthru/passthru-intake.ts');
  return (parts) => new PassthruIntake(parts, readers);
}

/**
 * Creates a router, and starts its workers; connections come with `listen`. A connection is in one place at a time:
 * a worker that does not take it loses it to another, and one that took it has it for good.
 *
 * @throws TypeError or RangeError for options that are unknown, wrong or out of range
 * @example
 * const router = createSocketRouter({ workers: forkWorkers(new URL('./worker.js', import.meta.url), { workers: 4 }) });
 * await router.listen({ port: 8080 });
 */
export function createSocketRouter(options: RouterOptions): SocketRouter {
  return new Router(resolveRouterOptions(options));
}
