import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { answerSocket, problem, type RouterAnswer } from '../answers.ts';
import { type ProxyOutcome, proxyRequest } from '../http-proxy/proxy-request.ts';
import { proxyUpgrade } from '../http-proxy/proxy-upgrade.ts';
import { WorkerAgents } from '../http-proxy/worker-agents.ts';
import { WorkerChooser } from '../placing/choose-worker.ts';
import { ANY_WORKER, type Choice } from '../placing/decide.ts';
import type { Intake, IntakeDependencies } from '../placing/intake.ts';
import type { WorkerQueue } from '../placing/worker-queue.ts';
import type { OptionalReaders } from '../reading/head-sniffer.ts';
import { headOfRequest } from '../reading/head-views.ts';
import { readAgain } from '../reading/http/read-again.ts';
import { TAKEN_SHARE } from '../wire/messages.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { TakenMarks, type TakeTerms } from '../wire/taken-marks.ts';
import { type FrontEvents, FrontServer } from './front-server.ts';

/** How often a request whose worker is lost is sent again: a request that ends its workers ends at most three. */
const MAX_LOST = 2;
/** Milliseconds after a broken connection by which the end of its process, if it ended, is known. */
const GONE_MS = 250;

/** A request that a worker may have taken. */
interface SentRequest {
  readonly terms: TakeTerms | undefined;
  readonly isTaken: () => boolean;
  readonly release: () => void;
}

/** Of a request that no worker has to take: it has not been sent, or cannot be limited. */
const ON_NO_TERMS: SentRequest = { terms: undefined, isTaken: () => true, release: () => {} };

/** A request between its arrival and its answer. */
interface PendingRequest {
  readonly request: IncomingMessage;
  /** The client's, as far as it is known. */
  readonly remoteAddress: string | undefined;
  readonly arrivedAt: number;
  readonly answer: (answer: RouterAnswer) => void;
  /** Returns a function that takes it back from the worker. */
  readonly send: (
    pending: PendingRequest,
    queue: WorkerQueue,
    ended: (outcome: ProxyOutcome) => void,
  ) => () => void;
  choice: Choice;
  stage: 'waiting' | 'sent' | 'over';
  /** Since when it has needed a worker: its arrival, or the loss of a worker that had taken it. `maxWaitMs` counts from here. */
  waitsFrom: number;
  /** Refuses it unless a worker has taken it. */
  timer: NodeJS.Timeout | undefined;
  /** How it is with the worker that it was sent to last. */
  sent: SentRequest;
  /** Takes it back from that worker, if it has no answer yet. */
  takeBack: (() => void) | undefined;
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
  /** Requests without a worker. */
  readonly #waiting = new Set<PendingRequest>();
  readonly #agents = new WorkerAgents();
  readonly #marks = new Map<WorkerQueue, TakenMarks>();
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
    const queues = new Set(workers.queues);
    this.#agents.keep(new Set([...queues].map((queue) => workers.socketPathOf(queue))));
    for (const [queue, marks] of this.#marks) {
      // A request whose worker has ended may still ask.
      if (queues.has(queue) || queue.proxied > 0) continue;
      this.#marks.delete(queue);
      marks.close();
    }
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
    for (const marks of this.#marks.values()) marks.close();
    this.#marks.clear();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: 0, waiting: this.#waiting.size };
  }

  #receiveRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#receive(
      request,
      (answer) => this.#front.answer(response, answer),
      (pending, queue, ended) => {
        const socketPath = this.#socketPathOf(queue);
        return proxyRequest({
          request,
          response,
          remoteAddress: pending.remoteAddress,
          arrivedAt: pending.arrivedAt,
          terms: pending.sent.terms,
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
      (pending, queue, ended) => {
        const socketPath = this.#socketPathOf(queue);
        return proxyUpgrade({
          request,
          socket,
          early,
          remoteAddress: pending.remoteAddress,
          arrivedAt: pending.arrivedAt,
          terms: pending.sent.terms,
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
    const now = monotonicMs();
    const pending: PendingRequest = {
      request,
      remoteAddress: proxy?.source.address ?? request.socket.remoteAddress,
      arrivedAt: now,
      choice: ANY_WORKER,
      stage: 'waiting',
      waitsFrom: now,
      timer: undefined,
      sent: ON_NO_TERMS,
      takeBack: undefined,
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
      this.#startTimer(pending);
      this.#place(pending);
    }
  }

  #startTimer(pending: PendingRequest): void {
    const { maxWaitMs } = this.#dependencies.options.limits;
    pending.timer = setTimeout(() => this.#expire(pending), maxWaitMs);
  }

  #expire(pending: PendingRequest): void {
    if (this.#waiting.delete(pending)) this.#refuse(pending, 503, 'worker-timeout');
    else if (pending.stage === 'sent' && !pending.sent.isTaken()) pending.takeBack?.();
  }

  #place(pending: PendingRequest): void {
    if (pending.request.socket.destroyed) {
      this.#dependencies.counts.gone += 1;
      this.#finish(pending);
      return;
    }
    const place = this.#chooser.find(pending.choice, pending.avoid);
    pending.stage = 'waiting';
    if (place === 'wait') this.#waiting.add(pending);
    else if (typeof place === 'string') this.#refuse(pending, 503, place);
    else this.#send(pending, place);
  }

  #takeWaiting(): PendingRequest[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    return all;
  }

  #send(pending: PendingRequest, queue: WorkerQueue): void {
    queue.proxied += 1;
    queue.handedOver += 1;
    this.#dependencies.handedOver(queue.worker.slot, 'request', pending.arrivedAt);
    const sent = this.#reserve(pending, queue);
    pending.stage = 'sent';
    pending.sent = sent;
    const takeBack = pending.send(pending, queue, (outcome) => {
      const isTaken = outcome === 'unanswered' && sent.isTaken();
      sent.release();
      this.#ended(pending, queue, { outcome, isTaken });
    });
    // It may have ended already, and be with another worker.
    if (pending.sent === sent) pending.takeBack = takeBack;
  }

  #reserve({ waitsFrom }: PendingRequest, queue: WorkerQueue): SentRequest {
    const { maxWaitMs } = this.#dependencies.options.limits;
    try {
      let marks = this.#marks.get(queue);
      if (marks === undefined) {
        marks = new TakenMarks(this.#socketPathOf(queue));
        this.#marks.set(queue, marks);
      }
      const own = marks;
      const terms = marks.reserve(Math.floor(waitsFrom + TAKEN_SHARE * maxWaitMs));
      return {
        terms,
        isTaken: () => own.has(terms),
        release: () => own.release(terms),
      };
    } catch {
      // Without room or descriptors for the file: whether it is taken cannot be known.
      return ON_NO_TERMS;
    }
  }

  #ended(
    pending: PendingRequest,
    queue: WorkerQueue,
    { outcome, isTaken }: { readonly outcome: ProxyOutcome; readonly isTaken: boolean },
  ): void {
    queue.proxied -= 1;
    if (isTaken) {
      // Its worker has had it: the wait for another one begins now.
      clearTimeout(pending.timer);
      pending.waitsFrom = monotonicMs();
      this.#startTimer(pending);
    }
    const { counts, workers } = this.#dependencies;
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
    } else if (outcome === 'abandoned') {
      this.#takeBack(queue);
      this.#refuse(pending, 503, 'worker-timeout');
      workers.suspect(queue);
    } else {
      this.#finish(pending);
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
      if (queue.state !== 'ready' || !this.#waiting.delete(pending)) return;
      this.#refuse(pending, 502, 'worker-failed');
    }, GONE_MS);
  }

  #finish(pending: PendingRequest): void {
    pending.stage = 'over';
    clearTimeout(pending.timer);
  }

  #refuse(pending: PendingRequest, status: number, reason: string): void {
    this.#finish(pending);
    pending.answer(problem(status));
    this.#dependencies.refused(status, reason);
  }

  #socketPathOf(queue: WorkerQueue): string {
    // Every queue of this mode has one.
    return this.#dependencies.workers.socketPathOf(queue) as string;
  }
}
