import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hashText, heaviest } from '@ticketing/kit';
import type { RouteFunction } from '../contract/head.ts';
import type { AttachableServer } from '../contract/worker-handle.ts';
import { proxyRequest } from '../http-proxy/proxy-request.ts';
import { proxyUpgrade } from '../http-proxy/proxy-upgrade.ts';
import { WorkerAgents } from '../http-proxy/worker-agents.ts';
import { slotsOf } from '../placing/choose-worker.ts';
import { type Choice, type Decision, decide } from '../placing/decide.ts';
import { headOfRequest } from '../reading/http/head-of-request.ts';
import { readAgain } from '../reading/http/read-again.ts';
import {
  answerRequest,
  answerSocket,
  hasBody,
  isPending,
  problem,
  type RouterAnswer,
} from '../server/answers.ts';
import { noteLast, processInTime } from '../server/connection-notes.ts';
import { type Emit, interceptRequests } from '../server/intercept-requests.ts';
import { type ClaimLimit, ClaimsByWorker, UNLIMITED } from '../wire/claim-marks.ts';
import { CLAIMABLE_SHARE } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import type { BusyConnections } from './drain-connections.ts';
import type { LaterRequests, RoutedBy } from './later-requests.ts';

/** A connection that a router gave to this worker. */
interface Origin {
  /** Key of the connection's first request. */
  readonly key: string | undefined;
  hasAsked: boolean;
  /** The answer to the last request that came on it. */
  last: ServerResponse | undefined;
}

/** A request that another worker is to answer. */
interface ForwardedRequest {
  readonly event: string | symbol;
  /** Values of the event. */
  readonly values: readonly unknown[];
  /** True if this worker may answer it when the other one cannot. */
  readonly mayAnswer: boolean;
}

export interface ForwardingOptions {
  readonly route: RouteFunction;
  /** The slot of this worker. */
  readonly slot: string;
  /** Longest head of an answer; Node's own limit if `undefined`, as for a router of an earlier version. */
  readonly answerHeadBytes: number | undefined;
  /** Longest wait until the other worker has claimed a request; no limit if `undefined`, as for a router of an earlier version. */
  readonly maxWaitMs: number | undefined;
  /** Gets each request that goes to another worker: the server does not. */
  readonly busy: Pick<BusyConnections, 'record'>;
}

/** Sends later requests on a connection to the worker of their own key, before the server gets them. */
export class Forwarding implements LaterRequests {
  readonly #options: ForwardingOptions;
  readonly #emit: Emit;
  readonly #origins = new WeakMap<Socket, Origin>();
  readonly #agents = new WorkerAgents();
  readonly #claims = new ClaimsByWorker(process.pid);
  #socketPaths: ReadonlyMap<string, string> = new Map();
  #slots: readonly string[] = [];
  #isDraining = false;
  forwarded = 0;

  constructor(server: AttachableServer, options: ForwardingOptions) {
    this.#options = options;
    this.#emit = interceptRequests(
      server,
      (event, values) => event !== 'connect' && this.#forwards(event, values),
    );
  }

  update(peers: readonly { readonly slot: string; readonly socketPath: string }[]): void {
    this.#socketPaths = new Map(peers.map(({ slot, socketPath }) => [slot, socketPath]));
    this.#slots = [...this.#socketPaths.keys()];
    const paths = new Set(this.#socketPaths.values());
    this.#agents.keep(paths);
    this.#claims.keep(paths);
  }

  /** Requests on connections that were not added are never forwarded. */
  add(socket: Socket, { key }: RoutedBy): void {
    this.#origins.set(socket, { key, hasAsked: false, last: undefined });
  }

  drain(): void {
    this.#isDraining = true;
  }

  close(): void {
    this.#agents.destroy();
    this.#claims.close();
  }

  #forwards(event: string | symbol, values: readonly unknown[]): boolean {
    const request = values[0] as IncomingMessage;
    const origin = this.#origins.get(request.socket);
    if (origin === undefined) return false;
    const before = origin.last;
    if (event !== 'upgrade') origin.last = values[1] as ServerResponse;
    if (!origin.hasAsked) {
      // The router has routed this one.
      origin.hasAsked = true;
      return false;
    }
    // Node up to 24 takes the bytes of its body for the new protocol: only the server can read them.
    if (event === 'upgrade' && hasBody(request)) return false;
    const decision = this.#decide(request);
    if (decision.kind === 'refuse' || decision.kind === 'answer') {
      const answer = decision.kind === 'answer' ? decision.answer : problem(decision.status);
      answerHere(event, values, answer);
      return true;
    }
    const slot = this.#slotFor(decision, origin);
    const isHere = slot === this.#options.slot;
    const socketPath = isHere || slot === undefined ? undefined : this.#socketPaths.get(slot);
    const mayAnswer = slotsOf(decision)?.includes(this.#options.slot) !== false;
    if (socketPath === undefined && (isHere || mayAnswer)) return false;
    const forwarded: ForwardedRequest = { event, values, mayAnswer };
    this.#options.busy.record(event, values[1]);
    if (socketPath === undefined) answerHere(event, values, problem(503));
    else if (event !== 'upgrade') this.#forwardRequest(request, forwarded, socketPath, origin);
    else if (!isPending(before)) this.#forwardUpgrade(request, forwarded, socketPath);
    // Its socket is no longer the server's: the answer of another worker would not wait for those before it.
    else before.once('finish', () => answerHere(event, values, problem(400)));
    return true;
  }

  /** Checks the head of a request, because the router has checked that of the first one alone, and decides where it goes. */
  #decide(request: IncomingMessage): Decision {
    const head = readAgain(request);
    if (head.kind === 'refused')
      return { kind: 'refuse', status: head.status, reason: head.reason };
    return decide(this.#options.route, () => headOfRequest(request, request.socket.remoteAddress));
  }

  /** Returns the slot that a request belongs to; `undefined` if no ready worker has it. */
  #slotFor(choice: Choice, origin: Origin): string | undefined {
    if (choice.kind === 'slot') return choice.slot;
    if (choice.kind === 'any') return this.#options.slot;
    const { key, among } = choice;
    if (among !== undefined)
      return homeSlot(
        key,
        this.#slots.filter((slot) => among.includes(slot)),
      );
    // With a bounded load its worker may be another one than the first by weight.
    return key === origin.key ? this.#options.slot : homeSlot(key, this.#slots);
  }

  /** Answers a request that the other worker did not claim, if it may be answered here. */
  #takeBack(forwarded: ForwardedRequest, status: number): void {
    this.forwarded -= 1;
    const { event, values, mayAnswer } = forwarded;
    if (mayAnswer) processInTime(values[0] as IncomingMessage, () => this.#emit(event, ...values));
    else answerHere(event, values, problem(status));
  }

  /** Answers a request whose worker is stopped or busy, and refuses it when it goes on: it has run nowhere. */
  #overdue(forwarded: ForwardedRequest): void {
    const request = forwarded.values[0] as IncomingMessage;
    // What was read of a body cannot be read again.
    const mayAnswer = forwarded.mayAnswer && !hasBody(request);
    this.#takeBack({ ...forwarded, mayAnswer }, 503);
  }

  /** Limits how long the other worker may leave a request unclaimed; `expired` is called when that time is over. */
  #limit(socketPath: string, expired: () => void): ClaimLimit {
    const { maxWaitMs } = this.#options;
    if (maxWaitMs === undefined) return UNLIMITED;
    const before = monotonicMs() + CLAIMABLE_SHARE * maxWaitMs;
    const claim = this.#claims.limit(socketPath, before);
    const timer = setTimeout(() => {
      if (!claim.isClaimed()) expired();
    }, maxWaitMs);
    return {
      ...claim,
      release: () => {
        clearTimeout(timer);
        claim.release();
      },
    };
  }

  #forwardRequest(
    request: IncomingMessage,
    forwarded: ForwardedRequest,
    socketPath: string,
    origin: Origin,
  ): void {
    const response = forwarded.values[1] as ServerResponse;
    this.forwarded += 1;
    const claim = this.#limit(socketPath, () => abandon());
    const abandon = proxyRequest({
      request,
      response,
      terms: claim.terms,
      agent: this.#agents.get(socketPath),
      socketPath,
      remoteAddress: request.socket.remoteAddress,
      arrivedAt: monotonicMs(),
      answerHeadBytes: this.#options.answerHeadBytes,
      isLast: () => {
        const isLast = this.#isDraining && origin.last === response;
        if (isLast) noteLast(request);
        return isLast;
      },
      ended: (outcome) => {
        claim.release();
        if (outcome === 'abandoned') this.#overdue(forwarded);
        // The other worker has just died, or a proxy cannot send the request.
        else if (outcome === 'unreached' || outcome === 'unanswered')
          this.#takeBack(forwarded, 503);
        else if (outcome === 'unsendable') this.#takeBack(forwarded, 501);
        else if (outcome === 'failed') answerHere(forwarded.event, forwarded.values, problem(502));
      },
    });
    if (forwarded.event === 'checkContinue') response.writeContinue();
  }

  #forwardUpgrade(request: IncomingMessage, forwarded: ForwardedRequest, socketPath: string): void {
    const [, socket, early] = forwarded.values as [unknown, Socket, Buffer];
    this.forwarded += 1;
    const claim = this.#limit(socketPath, () => abandon());
    const abandon = proxyUpgrade({
      request,
      socket,
      early,
      terms: claim.terms,
      socketPath,
      remoteAddress: request.socket.remoteAddress,
      arrivedAt: monotonicMs(),
      answerHeadBytes: this.#options.answerHeadBytes,
      ended: (outcome) => {
        claim.release();
        if (outcome === 'abandoned') this.#overdue(forwarded);
        else if (outcome === 'unanswered') this.#takeBack(forwarded, 503);
        else if (outcome === 'failed') answerHere('upgrade', forwarded.values, problem(502));
      },
    });
  }
}

/** Answers a request without a worker, and closes its connection. */
function answerHere(
  event: string | symbol,
  [request, other]: readonly unknown[],
  answer: RouterAnswer,
): void {
  noteLast(request as IncomingMessage);
  if (event === 'upgrade') answerSocket(other as Socket, answer);
  else answerRequest(other as ServerResponse, answer);
}

/** Returns the slot that a key belongs to; `undefined` without slots. */
export function homeSlot(key: string, slots: readonly string[]): string | undefined {
  const home = heaviest(slots.length, hashText(key), (index) => hashText(slots[index] ?? ''));
  return slots[home];
}
