import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hashText, rendezvousWeight } from '@ticketing/kit';
import { answerFailure, hasBody, refuseSocket } from '../answers.ts';
import type { RouteFunction } from '../contract/head.ts';
import { proxyRequest } from '../http-proxy/proxy-request.ts';
import { proxyUpgrade } from '../http-proxy/proxy-upgrade.ts';
import { WorkerPools } from '../http-proxy/worker-pools.ts';
import { type Decision, decide } from '../placing/decide.ts';
import { headOfRequest } from '../reading/head-views.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import type { Affinity, RoutedBy } from './affinity.ts';
import type { AttachableServer } from './attachable-server.ts';

/** Events of an HTTP server that begin with a request. */
const REQUEST_EVENTS: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
  'upgrade',
]);

type Emit = (event: string | symbol, ...values: unknown[]) => boolean;

/** A connection that a router gave to this worker. */
interface Origin {
  /** Of its first request. */
  readonly key: string | undefined;
  hasAsked: boolean;
}

export interface ForwardingOptions {
  readonly route: RouteFunction;
  /** This worker's. */
  readonly slot: string;
}

/** Sends later requests on a connection to the worker of their own key, before the server sees them. */
export class Forwarding implements Affinity {
  readonly #route: RouteFunction;
  readonly #slot: string;
  readonly #emit: Emit;
  readonly #origins = new WeakMap<Socket, Origin>();
  readonly #pools = new WorkerPools();
  #socketPaths: ReadonlyMap<string, string> = new Map();
  #slots: readonly string[] = [];
  #isDraining = false;

  constructor(server: AttachableServer, options: ForwardingOptions) {
    this.#route = options.route;
    this.#slot = options.slot;
    // A listener could not keep a request from the other listeners.
    const emit = server.emit as Emit;
    this.#emit = (event, ...values) => emit.call(server, event, ...values);
    server.emit = (event: string | symbol, ...values: unknown[]) => {
      if (REQUEST_EVENTS.has(event) && this.#forwards(event, values)) return true;
      return this.#emit(event, ...values);
    };
  }

  /** Tells where the workers are. */
  update(peers: readonly { readonly slot: string; readonly socketPath: string }[]): void {
    this.#socketPaths = new Map(peers.map(({ slot, socketPath }) => [slot, socketPath]));
    this.#slots = [...this.#socketPaths.keys()];
    this.#pools.keep(new Set(this.#socketPaths.values()));
  }

  /** To be called for a connection before the server gets it; the requests of others are never forwarded. */
  add(socket: Socket, { key }: RoutedBy): void {
    this.#origins.set(socket, { key, hasAsked: false });
  }

  drain(): void {
    this.#isDraining = true;
  }

  close(): void {
    void this.#pools.destroy();
  }

  #forwards(event: string | symbol, values: readonly unknown[]): boolean {
    const request = values[0] as IncomingMessage;
    const origin = this.#origins.get(request.socket);
    if (origin === undefined) return false;
    // Up to Node 24 the bytes of its body are taken for those of the new protocol: that is for the server alone.
    if (event === 'upgrade' && hasBody(request)) return false;
    if (!origin.hasAsked) {
      // The router has decided on this one.
      origin.hasAsked = true;
      return false;
    }
    const decision = decide(this.#route, () =>
      headOfRequest(request, request.socket.remoteAddress),
    );
    if (decision.kind === 'refuse') {
      if (event === 'upgrade') refuseSocket(values[1] as Socket, decision.status);
      else answerFailure(values[1] as ServerResponse, decision.status);
      return true;
    }
    const socketPath = this.#socketPathFor(decision, origin);
    if (socketPath === undefined) return false;
    if (event === 'upgrade') this.#forwardUpgrade(request, values, socketPath);
    else this.#forwardRequest(event, request, values[1] as ServerResponse, socketPath);
    return true;
  }

  /** None when the request is to be answered here. */
  #socketPathFor(decision: Decision, origin: Origin): string | undefined {
    if (decision.kind !== 'place' || decision.choice.kind === 'any') return undefined;
    if (decision.choice.kind === 'key' && decision.choice.key === origin.key) return undefined;
    const slot =
      decision.choice.kind === 'key'
        ? homeSlot(decision.choice.key, this.#slots)
        : decision.choice.slot;
    return slot === undefined || slot === this.#slot ? undefined : this.#socketPaths.get(slot);
  }

  #forwardRequest(
    event: string | symbol,
    request: IncomingMessage,
    response: ServerResponse,
    socketPath: string,
  ): void {
    proxyRequest({
      request,
      response,
      dispatcher: this.#pools.get(socketPath),
      remoteAddress: request.socket.remoteAddress,
      arrivedAt: monotonicMs(),
      isLast: this.#isDraining,
      ended: (outcome) => {
        // A worker that has just died, or a request that no proxy sends: better answered here than not.
        if (outcome === 'unreached' || outcome === 'unanswered' || outcome === 'unsendable') {
          this.#emit(event, request, response);
        } else if (outcome === 'failed') {
          answerFailure(response, 502);
        }
      },
    });
    if (event === 'checkContinue') response.writeContinue();
  }

  #forwardUpgrade(request: IncomingMessage, values: readonly unknown[], socketPath: string): void {
    proxyUpgrade({
      request,
      socket: values[1] as Socket,
      early: values[2] as Buffer,
      socketPath,
      remoteAddress: request.socket.remoteAddress,
      arrivedAt: monotonicMs(),
      ended: (outcome) => {
        if (outcome === 'unanswered') this.#emit('upgrade', ...values);
        else if (outcome === 'failed') refuseSocket(values[1] as Socket, 502);
      },
    });
  }
}

/** The slot that a key belongs to, among those that there are; none without slots. */
export function homeSlot(key: string, slots: readonly string[]): string | undefined {
  const hash = hashText(key);
  let home: string | undefined;
  let highest = -1;
  for (const slot of slots) {
    const weight = rendezvousWeight(hash, hashText(slot));
    if (weight > highest) {
      highest = weight;
      home = slot;
    }
  }
  return home;
}
