import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { answerSocket, problem, type RouterAnswer } from '../answers.ts';
import { type ProxyOutcome, proxyRequest } from '../http-proxy/proxy-request.ts';
import { proxyUpgrade } from '../http-proxy/proxy-upgrade.ts';
import { WorkerAgents } from '../http-proxy/worker-agents.ts';
import { WorkerChooser } from '../placing/choose-worker.ts';
import { ANY_WORKER, type Choice } from '../placing/decide.ts';
import type { WorkerQueue } from '../placing/worker-queue.ts';
import type { OptionalReaders } from '../reading/head-sniffer.ts';
import { headOfRequest } from '../reading/head-views.ts';
import { readAgain } from '../reading/http/read-again.ts';
import type { Intake, IntakeDependencies } from '../router/intake.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { type FrontEvents, FrontServer } from './front-server.ts';

/** How often a request whose worker is lost is sent again: a request that ends its workers ends at most three. */
const MAX_LOST = 2;
/** Milliseconds after a broken connection by which the end of its process, if it ended, is known. */
const GONE_MS = 250;

/** A request between its arrival and its answer. */
interface PendingRequest {
  readonly request: IncomingMessage;
  /** The client's, as far as it is known. */
  readonly remoteAddress: string | undefined;
  readonly arrivedAt: number;
  readonly answer: (answer: RouterAnswer) => void;
  readonly send: (
    pending: PendingRequest,
    queue: WorkerQueue,
    ended: (outcome: ProxyOutcome) => void,
  ) => void;
  choice: Choice;
  /** Workers that could not be reached or did not answer. */
  readonly avoid: Set<WorkerQueue>;
  /** How many connections broke after the request was sent on them. */
  lost: number;
}

/** Mode `passthru`: reads requests and proxies each one to the unix socket of its worker. */
export class PassthruIntake implements Intake {
  readonly #dependencies: IntakeDependencies;
  readonly #front: FrontServer;
  readonly #chooser: WorkerChooser;
  /** Requests without a worker, each with the timer that refuses it. */
  readonly #waiting = new Map<PendingRequest, NodeJS.Timeout>();
  readonly #agents = new WorkerAgents();
  #finished: (() => void) | undefined;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(dependencies: IntakeDependencies, { createProxyReader }: OptionalReaders) {
    const { options, workers, counts } = dependencies;
    this.#dependencies = dependencies;
    const events: FrontEvents = {
      accepted: () => {
        counts.accepted += 1;
      },
      request: (request, response) => this.#receiveRequest(request, response),
      upgrade: (request, socket, early) => this.#receiveUpgrade(request, socket, early),
      refused: dependencies.refused,
      emptied: () => this.#finished?.(),
    };
    this.#front = new FrontServer(options, events, createProxyReader);
    this.#chooser = new WorkerChooser(workers, {
      loadFactor: options.loadFactor,
      hasRoom: (queue) => queue.proxied < options.limits.queuePerWorker,
    });
  }

  get server(): Server {
    return this.#front.server;
  }

  workersChanged(): void {
    const { workers } = this.#dependencies;
    this.#agents.keep(new Set([...workers.queues].map((queue) => workers.socketPathOf(queue))));
    for (const pending of this.#takeWaiting()) this.#place(pending);
  }

  finish(lameDuckMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve;
      this.#idleTimer = setTimeout(() => this.#front.closeIdle(), lameDuckMs);
      if (this.#front.connections === 0) resolve();
    });
  }

  refuseWaiting(): void {
    for (const pending of this.#takeWaiting()) this.#refuse(pending, 503, 'closing');
  }

  destroy(): void {
    clearTimeout(this.#idleTimer);
    this.#front.destroy();
    this.#agents.destroy();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: 0, waiting: this.#waiting.size };
  }

  #receiveRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#receive(
      request,
      (answer) => this.#front.answer(response, answer),
      ({ remoteAddress, arrivedAt }, queue, ended) => {
        const socketPath = this.#socketPathOf(queue);
        proxyRequest({
          request,
          response,
          remoteAddress,
          arrivedAt,
          agent: this.#agents.get(socketPath),
          socketPath,
          answerHeadBytes: this.#dependencies.options.limits.headBytes,
          isLast: () => this.#finished !== undefined && this.#front.endsWith(response),
          ended,
        });
      },
    );
  }

  #receiveUpgrade(request: IncomingMessage, socket: Socket, early: Buffer): void {
    this.#receive(
      request,
      (answer) => answerSocket(socket, answer),
      ({ remoteAddress, arrivedAt }, queue, ended) => {
        const socketPath = this.#socketPathOf(queue);
        proxyUpgrade({
          request,
          socket,
          early,
          remoteAddress,
          arrivedAt,
          answerHeadBytes: this.#dependencies.options.limits.headBytes,
          socketPath,
          ended,
        });
      },
    );
  }

  #receive(
    request: IncomingMessage,
    answer: PendingRequest['answer'],
    send: PendingRequest['send'],
  ): void {
    const proxy = this.#front.addressesOf(request.socket);
    const pending: PendingRequest = {
      request,
      remoteAddress: proxy?.source.address ?? request.socket.remoteAddress,
      arrivedAt: monotonicMs(),
      choice: ANY_WORKER,
      avoid: new Set(),
      lost: 0,
      answer,
      send,
    };
    const head = readAgain(request);
    if (head.kind === 'refused') {
      this.#refuse(pending, head.status, head.reason);
      return;
    }
    const decision = this.#dependencies.decide(() =>
      headOfRequest(request, pending.remoteAddress, proxy),
    );
    if (decision.kind === 'refuse') {
      this.#refuse(pending, decision.status, decision.reason);
    } else if (decision.kind === 'answer') {
      this.#dependencies.counts.answered += 1;
      answer(decision.answer);
    } else {
      pending.choice = decision;
      this.#place(pending);
    }
  }

  #place(pending: PendingRequest): void {
    if (pending.request.socket.destroyed) {
      this.#dependencies.counts.gone += 1;
      return;
    }
    const place = this.#chooser.find(pending.choice, pending.avoid);
    if (place === 'wait') this.#wait(pending);
    else if (typeof place === 'string') this.#refuse(pending, 503, place);
    else this.#send(pending, place);
  }

  #wait(pending: PendingRequest): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(pending);
      this.#refuse(pending, 503, 'worker-timeout');
    }, this.#dependencies.options.limits.headTimeoutMs);
    this.#waiting.set(pending, timer);
  }

  #takeWaiting(): PendingRequest[] {
    const all = [...this.#waiting.keys()];
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    return all;
  }

  #send(pending: PendingRequest, queue: WorkerQueue): void {
    queue.proxied += 1;
    queue.handedOver += 1;
    this.#dependencies.handedOver(queue.worker.slot, 'request', pending.arrivedAt);
    pending.send(pending, queue, (outcome) => this.#ended(pending, queue, outcome));
  }

  #ended(pending: PendingRequest, queue: WorkerQueue, outcome: ProxyOutcome): void {
    queue.proxied -= 1;
    const { counts } = this.#dependencies;
    if (outcome === 'unreached') {
      // Nothing of it was sent: another worker may get it.
      this.#takeBack(queue);
      counts.rerouted += 1;
      pending.avoid.add(queue);
      this.#place(pending);
    } else if (outcome === 'unanswered') {
      this.#sendAgain(pending, queue);
    } else if (outcome === 'failed') {
      this.#refuse(pending, 502, 'worker-failed');
    } else if (outcome === 'unsendable') {
      this.#takeBack(queue);
      this.#refuse(pending, 501, 'not-proxied');
    }
  }

  /** A worker that has ended counts in `ended`. */
  #takeBack(queue: WorkerQueue): void {
    const { counts, workers } = this.#dependencies;
    counts.handedOver -= 1;
    if (queue.state === 'down') workers.ended.handedOver -= 1;
    else queue.handedOver -= 1;
  }

  /** The connection to a worker broke: whether its process has ended or it closed this connection is not known yet. */
  #sendAgain(pending: PendingRequest, queue: WorkerQueue): void {
    pending.lost += 1;
    pending.avoid.add(queue);
    if (pending.lost > MAX_LOST) {
      this.#refuse(pending, 502, 'worker-failed');
      return;
    }
    this.#takeBack(queue);
    this.#dependencies.counts.rerouted += 1;
    this.#place(pending);
    setTimeout(() => {
      // There is no other worker, and this one lives: no successor is coming.
      const timer = this.#waiting.get(pending);
      if (queue.state !== 'ready' || timer === undefined) return;
      clearTimeout(timer);
      this.#waiting.delete(pending);
      this.#refuse(pending, 502, 'worker-failed');
    }, GONE_MS);
  }

  #refuse(pending: PendingRequest, status: number, reason: string): void {
    pending.answer(problem(status));
    this.#dependencies.refused(status, reason);
  }

  #socketPathOf(queue: WorkerQueue): string {
    // Every queue of this mode has one.
    return this.#dependencies.workers.socketPathOf(queue) as string;
  }
}
