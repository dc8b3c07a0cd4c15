import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { answerFailure, refuseSocket } from '../answers.ts';
import { type ProxyOutcome, proxyRequest } from '../http-proxy/proxy-request.ts';
import { proxyUpgrade } from '../http-proxy/proxy-upgrade.ts';
import { WorkerPools } from '../http-proxy/worker-pools.ts';
import { WorkerChooser } from '../placing/choose-worker.ts';
import { ANY_WORKER, type Choice, decide } from '../placing/decide.ts';
import type { WorkerQueue } from '../placing/worker-queue.ts';
import type { OptionalReaders } from '../reading/head-sniffer.ts';
import { headOfRequest } from '../reading/head-views.ts';
import type { Intake, IntakeParts } from '../router/intake.ts';
import { monotonicMs } from '../wire/monotonic-clock.ts';
import { type FrontEvents, FrontServer } from './front-server.ts';
import { readAgain } from './request-head.ts';

/** How often a request is sent anew when its worker is lost: one that ends its workers ends no more than three. */
const MAX_LOST = 2;

/** What is the same for each attempt to proxy a request. */
interface ProxiedBy {
  readonly remoteAddress: string | undefined;
  readonly arrivedAt: number;
  ended(outcome: ProxyOutcome): void;
}

/** Milliseconds after which the end of a process is known whose connection broke by it. */
const GONE_MS = 250;

/** A request that is not sent on yet. */
interface Asked {
  readonly request: IncomingMessage;
  /** The client's, as far as it is known. */
  readonly remoteAddress: string | undefined;
  readonly send: (queue: WorkerQueue) => void;
  readonly refuse: (status: number) => void;
  choice: Choice;
  /** Could not be reached, or did not answer. */
  readonly avoid: Set<WorkerQueue>;
  /** How often a connection broke that it was sent on. */
  lost: number;
}

/** Mode `passthru`: requests are read here and sent on to the unix sockets of workers, each to its own. */
export class PassthruIntake implements Intake {
  readonly #parts: IntakeParts;
  readonly #front: FrontServer;
  readonly #chooser: WorkerChooser;
  readonly #waiting: WaitingRequests<Asked>;
  readonly #pools = new WorkerPools();
  #finished: (() => void) | undefined;

  constructor(parts: IntakeParts, { createProxyReader }: OptionalReaders) {
    const { options, workers, counts } = parts;
    this.#parts = parts;
    const events: FrontEvents = {
      accepted: () => {
        counts.accepted += 1;
      },
      request: (request, response) => this.#askRequest(request, response),
      upgrade: (request, socket, early) => this.#askUpgrade(request, socket, early),
      refused: (status, reason) => this.#count(status, reason),
      emptied: () => this.#finished?.(),
    };
    this.#front = new FrontServer(options, events, createProxyReader);
    this.#chooser = new WorkerChooser(workers, {
      loadFactor: options.loadFactor,
      hasRoom: (queue) => queue.proxied < options.limits.queuePerWorker,
    });
    this.#waiting = new WaitingRequests(options.limits.headTimeoutMs, (asked) => {
      this.#refuse(asked, 503, 'worker-timeout');
    });
  }

  get server(): Server {
    return this.#front.server;
  }

  workersChanged(): void {
    const { workers } = this.#parts;
    this.#pools.keep(new Set([...workers.queues].map((queue) => workers.socketPathOf(queue))));
    for (const asked of this.#waiting.take()) this.#place(asked);
  }

  finish(): Promise<void> {
    return new Promise((resolve) => {
      this.#finished = resolve;
      this.#front.closeIdle();
      if (this.#front.connections === 0) resolve();
    });
  }

  refuseWaiting(): void {
    for (const asked of this.#waiting.take()) this.#refuse(asked, 503, 'closing');
  }

  destroy(): void {
    this.#front.destroy();
    void this.#pools.destroy();
  }

  stats(): { reading: number; waiting: number } {
    return { reading: 0, waiting: this.#waiting.size };
  }

  #askRequest(request: IncomingMessage, response: ServerResponse): void {
    this.#ask(request, {
      refuse: (status) => answerFailure(response, status),
      send: (queue, by) => {
        const dispatcher = this.#poolOf(queue);
        const isLast = this.#finished !== undefined;
        proxyRequest({ request, response, ...by, dispatcher, isLast });
      },
    });
  }

  #askUpgrade(request: IncomingMessage, socket: Socket, early: Buffer): void {
    this.#ask(request, {
      refuse: (status) => refuseSocket(socket, status),
      send: (queue, by) => {
        proxyUpgrade({ request, socket, early, ...by, socketPath: this.#socketPathOf(queue) });
      },
    });
  }

  #ask(
    request: IncomingMessage,
    {
      refuse,
      send,
    }: { refuse(status: number): void; send(queue: WorkerQueue, by: ProxiedBy): void },
  ): void {
    const remoteAddress = this.#addressOf(request.socket);
    const arrivedAt = monotonicMs();
    const asked: Asked = {
      request,
      remoteAddress,
      choice: ANY_WORKER,
      avoid: new Set(),
      lost: 0,
      refuse,
      send: (queue) => {
        const ended = (outcome: ProxyOutcome): void => {
          queue.proxied -= 1;
          this.#ended(asked, queue, outcome);
        };
        send(queue, { remoteAddress, arrivedAt, ended });
      },
    };
    this.#route(asked);
  }

  #route(asked: Asked): void {
    const { request, remoteAddress } = asked;
    const head = readAgain(request);
    if (head.kind === 'refused') {
      this.#refuse(asked, head.status, head.reason);
      return;
    }
    const proxy = this.#front.addressesOf(request.socket);
    const decision = decide(this.#parts.options.route, () =>
      headOfRequest(request, remoteAddress, proxy),
    );
    if (decision.kind === 'refuse') {
      this.#refuse(asked, decision.status, decision.reason);
    } else {
      asked.choice = decision.choice;
      this.#place(asked);
    }
  }

  #place(asked: Asked): void {
    if (asked.request.socket.destroyed) {
      this.#parts.counts.gone += 1;
      return;
    }
    const place = this.#chooser.find(asked.choice, asked.avoid);
    if (place === 'wait') this.#waiting.add(asked);
    else if (typeof place === 'string') this.#refuse(asked, 503, place);
    else this.#send(asked, place);
  }

  #send(asked: Asked, queue: WorkerQueue): void {
    queue.proxied += 1;
    queue.handedOver += 1;
    this.#parts.counts.handedOver += 1;
    asked.send(queue);
  }

  #ended(asked: Asked, queue: WorkerQueue, outcome: ProxyOutcome): void {
    if (outcome === 'unreached') {
      // Nothing of it was sent: another worker may have it.
      this.#parts.counts.handedOver -= 1;
      this.#parts.counts.rerouted += 1;
      asked.avoid.add(queue);
      this.#place(asked);
    } else if (outcome === 'unanswered') {
      this.#askAnother(asked, queue);
    } else if (outcome === 'failed') {
      this.#refuse(asked, 502, 'worker-failed');
    } else if (outcome === 'unsendable') {
      this.#parts.counts.handedOver -= 1;
      this.#refuse(asked, 501, 'not-proxied');
    }
  }

  /** The connection to a worker broke: whether the worker is gone or gave up this request is not known yet. */
  #askAnother(asked: Asked, queue: WorkerQueue): void {
    asked.lost += 1;
    asked.avoid.add(queue);
    if (asked.lost > MAX_LOST) {
      this.#refuse(asked, 502, 'worker-failed');
      return;
    }
    this.#parts.counts.handedOver -= 1;
    this.#parts.counts.rerouted += 1;
    this.#place(asked);
    setTimeout(() => {
      // There is no other worker, and this one lives: no successor is coming.
      if (queue.state === 'ready' && this.#waiting.remove(asked)) {
        this.#refuse(asked, 502, 'worker-failed');
      }
    }, GONE_MS);
  }

  #refuse(asked: Asked, status: number, reason: string): void {
    asked.refuse(status);
    this.#count(status, reason);
  }

  #count(status: number, reason: string): void {
    this.#parts.counts.refused += 1;
    this.#parts.emitter.emit('refused', { status, reason });
  }

  #poolOf(queue: WorkerQueue): Dispatcher {
    return this.#pools.get(this.#socketPathOf(queue));
  }

  #socketPathOf(queue: WorkerQueue): string {
    // Every queue of this mode has one.
    return this.#parts.workers.socketPathOf(queue) as string;
  }

  #addressOf(socket: Socket): string | undefined {
    return this.#front.addressesOf(socket)?.source.address ?? socket.remoteAddress;
  }
}

/** Those that wait, each for so many milliseconds at most. */
class WaitingRequests<T> {
  readonly #timers = new Map<T, NodeJS.Timeout>();
  readonly #timeoutMs: number;
  readonly #overdue: (one: T) => void;

  constructor(timeoutMs: number, overdue: (one: T) => void) {
    this.#timeoutMs = timeoutMs;
    this.#overdue = overdue;
  }

  get size(): number {
    return this.#timers.size;
  }

  add(one: T): void {
    const timer = setTimeout(() => {
      this.#timers.delete(one);
      this.#overdue(one);
    }, this.#timeoutMs);
    this.#timers.set(one, timer);
  }

  /** Whether it waited; it does no longer. */
  remove(one: T): boolean {
    clearTimeout(this.#timers.get(one));
    return this.#timers.delete(one);
  }

  /** Empties it. */
  take(): T[] {
    const all = [...this.#timers.keys()];
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    return all;
  }
}
