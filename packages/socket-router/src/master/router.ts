import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, ListenOptions } from 'node:net';
import type { RouterEvents } from '../contract/router-events.ts';
import type { RouterStats } from '../contract/router-stats.ts';
import type { SocketRouter } from '../contract/socket-router.ts';
import { RouterError } from '../errors.ts';
import { resolveGrace } from '../options/resolve-grace.ts';
import type { ResolvedRouterOptions } from '../options/resolve-router-options.ts';
import { withinMs } from '../wire/within-ms.ts';
import { DoorFolder } from './door-folder.ts';
import { Fleet } from './fleet.ts';
import type { Intake } from './intake.ts';
import { PassthruIntake } from './passthru/passthru-intake.ts';
import { createRouterCounts } from './router-counts.ts';
import { RouterEmitter } from './router-emitter.ts';
import { SocketIntake } from './socket-intake.ts';

type State =
  | { readonly kind: 'idle' | 'listening' }
  | { readonly kind: 'draining' | 'closed'; readonly end: Promise<void> };

/** The life of a router: clients come in by its mode's intake, workers are its fleet. */
export class Router implements SocketRouter {
  readonly #options: ResolvedRouterOptions;
  readonly #emitter = new RouterEmitter();
  readonly #counts = createRouterCounts();
  readonly #doors: DoorFolder | undefined;
  readonly #fleet: Fleet;
  readonly #intake: Intake;
  #state: State = { kind: 'idle' };

  constructor(options: ResolvedRouterOptions) {
    const { mode, affinity } = options;
    this.#options = options;
    if (mode === 'passthru' || affinity === 'forward') this.#doors = new DoorFolder();
    this.#fleet = new Fleet(
      {
        source: options.workers,
        router: randomUUID(),
        affinity,
        claimTimeoutMs: options.limits.claimTimeoutMs,
        maxWaitMs: options.limits.maxWaitMs,
        stuckTimeoutMs: options.limits.stuckTimeoutMs,
        doors: this.#doors,
        tellPeers: affinity === 'forward',
        emitter: this.#emitter,
      },
      {
        changed: () => this.#intake.workersChanged(),
        taken: (connection, lane) => this.#intake.taken?.(connection, lane),
        untaken: (connections, lane, reason) => this.#intake.untaken?.(connections, lane, reason),
        gone: (connection) => this.#intake.gone?.(connection),
        overdue: (connection) => this.#intake.overdue?.(connection),
        free: () => this.#intake.free?.(),
      },
    );
    const parts = {
      options,
      fleet: this.#fleet,
      counts: this.#counts,
      emitter: this.#emitter,
    };
    this.#intake = mode === 'passthru' ? new PassthruIntake(parts) : new SocketIntake(parts);
    this.#fleet.start();
  }

  async listen(options: ListenOptions): Promise<AddressInfo> {
    this.#expect('idle');
    this.#state = { kind: 'listening' };
    const { server } = this.#intake;
    try {
      await this.#intake.prepare?.();
      this.#expect('listening');
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
      ...this.#intake.stats(),
      workers: [...this.#fleet.lanes].map((lane) => lane.stats()),
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
    this.#intake.server.close();
    this.#fleet.announceDrain();
    await withinMs(this.#intake.finish(), left());
    this.#intake.refuseWaiting();
    // A worker cuts off at the deadline and says so; one that is stopped says nothing.
    await withinMs(this.#fleet.drain(left()), left() + 1000);
    this.#fleet.release();
    this.#intake.destroy();
    try {
      await this.#options.workers.close?.({ graceMs: left() + 1000 });
    } finally {
      this.#doors?.remove();
      if (this.#state.kind === 'draining') this.#state = { kind: 'closed', end: this.#state.end };
    }
  }
}
