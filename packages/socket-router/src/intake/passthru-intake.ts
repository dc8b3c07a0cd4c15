import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:net';
import { type ProxyOutcome, proxyRequest } from '../http-proxy/proxy-request.ts';
import { proxyUpgrade } from '../http-proxy/proxy-upgrade.ts';
import { WorkerAgents } from '../http-proxy/worker-agents.ts';
import { WorkerChooser } from '../placing/choose-worker.ts';
import type { WorkerQueue } from '../placing/worker-queue.ts';
import { headOfRequest } from '../reading/http/head-of-request.ts';
import { readAgain } from '../reading/http/read-again.ts';
import { answerSocket, problem } from '../server/answers.ts';
import { ClaimsByWorker } from '../wire/claim-marks.ts';
import { CLAIMABLE_SHARE } from '../wire/messages.ts';
import { countGone } from './count-gone.ts';
import {
  type FrontEvent,
  FrontServer,
  type RequestEvent,
  type UpgradeEvent,
} from './front-server.ts';
import type { OptionalReaders } from './head-sniffer.ts';
import type { Intake, IntakeDependencies } from './intake.ts';
import {
  avoid,
  beginWait,
  choose,
  finish,
  holdRequest,
  lose,
  type PendingRequest,
  send,
  wait,
} from './pending-request.ts';

/** Number of times that a request whose worker is lost is sent again: a request that ends its workers ends at most three. */
const MAX_LOST = 2;
/** Milliseconds after a broken connection by which the end of its process, if it ended, is known. */
const GONE_MS = 250;

/** Mode `passthru`: reads requests and proxies each one to the unix socket of its worker. */
export class PassthruIntake implements Intake {
  readonly #dependencies: IntakeDependencies;
  readonly #front: FrontServer;
  readonly #chooser: WorkerChooser;
  /** Requests without a worker. */
  readonly #waiting = new Set<PendingRequest>();
  readonly #agents = new WorkerAgents();
  readonly #claims = new ClaimsByWorker();
  #finished: (() => void) | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(dependencies: IntakeDependencies, { createProxyReader }: OptionalReaders) {
    const { options, workers } = dependencies;
    this.#dependencies = dependencies;
    const { limits, isProxy } = options;
    this.#front = new FrontServer({
      limits,
      isProxy,
      createProxyReader,
      emit: (event) => this.#frontChanged(event),
    });
    this.#chooser = new WorkerChooser(workers, {
      loadFactor: options.loadFactor,
      hasRoom: (queue) => queue.proxied < limits.queuePerWorker,
    });
  }

  get server(): Server {
    return this.#front.server;
  }

  workersChanged(): void {
    const { queues } = this.#dependencies.workers;
    const socketPaths = new Set([...queues].map(({ socketPath }) => socketPath));
    this.#agents.keep(socketPaths);
    this.#claims.keep(socketPaths);
    // A worker that is suspected meanwhile changes the workers again.
    for (const pending of [...this.#waiting]) if (isWaiting(pending)) this.#place(pending);
  }

  finish(lameDuckMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve;
      this.#idleTimer = setTimeout(() => this.#front.closeIdle(), lameDuckMs);
      if (this.#front.connections === 0) resolve();
    });
  }

  refuseWaiting(): void {
    for (const pending of [...this.#waiting]) this.#refuse(pending, 503, 'closing');
  }

  destroy(): void {
    clearTimeout(this.#idleTimer);
    this.#front.destroy();
    this.#agents.destroy();
    this.#claims.close();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: 0, waiting: this.#waiting.size };
  }

  #frontChanged(event: FrontEvent): void {
    const { count, refused } = this.#dependencies;
    switch (event.kind) {
      case 'accepted':
        count('accepted');
        break;
      case 'request':
        this.#receive(this.#pendingRequest(event));
        break;
      case 'upgrade':
        this.#receive(this.#pendingUpgrade(event));
        break;
      case 'refused':
        refused(event.status, event.reason);
        break;
      case 'emptied':
        this.#finished?.();
    }
  }

  #pendingRequest({ request, response }: RequestEvent): PendingRequest {
    return holdRequest({
      request,
      remoteAddress: this.#addressOf(request),
      answer: (answer) => this.#front.answer(response, answer),
      proxy: (target) =>
        proxyRequest({
          ...target,
          request,
          response,
          agent: this.#agents.get(target.socketPath),
          answerHeadBytes: this.#dependencies.options.limits.headBytes,
          isLast: () => this.#finished !== undefined && this.#front.endsWith(response),
        }),
    });
  }

  #pendingUpgrade({ request, socket, early }: UpgradeEvent): PendingRequest {
    return holdRequest({
      request,
      remoteAddress: this.#addressOf(request),
      answer: (answer) => answerSocket(socket, answer),
      proxy: (target) =>
        proxyUpgrade({
          ...target,
          request,
          socket,
          early,
          answerHeadBytes: this.#dependencies.options.limits.headBytes,
        }),
    });
  }

  #addressOf({ socket }: IncomingMessage): string | undefined {
    return this.#front.addressesOf(socket)?.source.address ?? socket.remoteAddress;
  }

  #receive(pending: PendingRequest): void {
    const { request, remoteAddress } = pending;
    const { options, decide, count } = this.#dependencies;
    const head = readAgain(request);
    if (head.kind === 'refused') {
      this.#refuse(pending, head.status, head.reason);
      return;
    }
    const proxy = this.#front.addressesOf(request.socket);
    const decision = decide(() => headOfRequest(request, remoteAddress, proxy));
    if (decision.kind === 'refuse') {
      this.#refuse(pending, decision.status, decision.reason);
    } else if (decision.kind === 'answer') {
      count('answered');
      pending.answer(decision.answer);
    } else {
      choose(pending, decision);
      beginWait(pending, options.limits.maxWaitMs, () => this.#expire(pending));
      this.#place(pending);
    }
  }

  #expire(pending: PendingRequest): void {
    const { stage } = pending;
    if (stage.kind === 'waiting') this.#refuse(pending, 503, 'worker-timeout');
    else if (stage.kind === 'sent' && !stage.claim.isClaimed()) stage.takeBack?.();
  }

  #place(pending: PendingRequest): void {
    if (pending.request.socket.destroyed) {
      countGone(this.#dependencies, 'request');
      finish(pending);
      return;
    }
    const found = this.#chooser.find(pending.choice, pending.avoid);
    if (found === 'wait') wait(pending, this.#waiting);
    else if (typeof found === 'string') this.#refuse(pending, 503, found);
    else this.#send(pending, found);
  }

  #send(pending: PendingRequest, queue: WorkerQueue): void {
    const { options, handedOver } = this.#dependencies;
    const { remoteAddress, arrivedAt, waitsFrom } = pending;
    // Every queue of this mode has one.
    const socketPath = queue.socketPath as string;
    queue.beginRequest();
    handedOver(queue.worker.slot, 'request', arrivedAt);
    const before = waitsFrom + CLAIMABLE_SHARE * options.limits.maxWaitMs;
    const claim = this.#claims.limit(socketPath, before);
    send(pending, claim, {
      socketPath,
      remoteAddress,
      arrivedAt,
      terms: claim.terms,
      ended: (outcome) => {
        const isLost = outcome === 'unanswered' && claim.isClaimed();
        claim.release();
        queue.endRequest();
        if (isLost) {
          const { maxWaitMs } = options.limits;
          beginWait(pending, maxWaitMs, () => this.#expire(pending));
        }
        this.#ended(pending, queue, outcome);
      },
    });
  }

  #ended(pending: PendingRequest, queue: WorkerQueue, outcome: ProxyOutcome): void {
    const { workers } = this.#dependencies;
    switch (outcome) {
      case 'unreached':
        // Nothing of it was sent: another worker may get it.
        avoid(pending, queue);
        this.#placeAgain(pending, queue);
        break;
      case 'unanswered':
        this.#sendAgain(pending, queue);
        break;
      case 'failed':
        this.#refuse(pending, 502, 'worker-failed');
        break;
      case 'unsendable':
        this.#takeBack(queue);
        this.#refuse(pending, 501, 'not-proxied');
        break;
      case 'abandoned':
        this.#takeBack(queue);
        this.#refuse(pending, 503, 'worker-timeout');
        workers.suspect(queue);
        break;
      default:
        finish(pending);
    }
  }

  /** Sends a request again whose connection to a worker broke: whether its process has ended or it closed this connection is not known yet. */
  #sendAgain(pending: PendingRequest, queue: WorkerQueue): void {
    lose(pending, queue);
    if (pending.lost > MAX_LOST) {
      this.#refuse(pending, 502, 'worker-failed');
      return;
    }
    this.#placeAgain(pending, queue);
    setTimeout(() => {
      // There is no other worker, and this one lives: no successor is coming.
      if (queue.state === 'ready' && isWaiting(pending))
        this.#refuse(pending, 502, 'worker-failed');
    }, GONE_MS);
  }

  #placeAgain(pending: PendingRequest, queue: WorkerQueue): void {
    this.#takeBack(queue);
    this.#dependencies.count('rerouted');
    this.#place(pending);
  }

  #takeBack(queue: WorkerQueue): void {
    const { count, workers } = this.#dependencies;
    count('handedOver', -1);
    workers.takeBack(queue);
  }

  #refuse(pending: PendingRequest, status: number, reason: string): void {
    finish(pending);
    pending.answer(problem(status));
    this.#dependencies.refused(status, reason);
  }
}

function isWaiting({ stage }: PendingRequest): boolean {
  return stage.kind === 'waiting';
}
