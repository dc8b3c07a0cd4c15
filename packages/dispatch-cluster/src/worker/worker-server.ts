import { PortClient, stopListening } from './port-client.ts';
import { createServedApp, type ServedApp } from './served-app.ts';
import { type Traffic, watchTraffic } from './traffic.ts';
import type { WorkerReport, WorkerStartMessage } from './worker-messages.ts';
import type { Attachment, ClusterWorkerOptions, HttpServer } from './worker-options.ts';

/** Messages of the server to the primary. */
interface ServerNews {
  report(report: WorkerReport): void;
  /** Asks for a replacement of the worker. */
  recycle(): void;
}

/** A server or an application, and its traffic. */
interface Served {
  readonly app: ServedApp;
  readonly traffic: Traffic;
}

/** Time limits for the end of the traffic; `graceMs` includes `lameDuckMs`. */
type WorkerEnd = Pick<WorkerStartMessage, 'lameDuckMs' | 'graceMs'>;

const REPORT_EVERY_MS = 500;
/** Milliseconds of the grace for the steps after the traffic: the application's end and `teardown`. */
const EXIT_MS = 500;

/** Server of a worker: makes it, lets it listen, reports its figures and ends it. */
export class WorkerServer {
  isDraining = false;
  readonly made: Promise<HttpServer | undefined>;
  /** Resolves when the server has stopped. */
  readonly stopped: Promise<void>;
  readonly #options: ClusterWorkerOptions;
  readonly #start: WorkerStartMessage;
  readonly #news: ServerNews;
  #settleMade!: { resolve(server: HttpServer | undefined): void; reject(error: unknown): void };
  #served: Served | undefined;
  #attachment: Attachment | undefined;
  #port: PortClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastReport = '';
  /** Ends the current wait for connections and requests to end. */
  #wake: () => void = () => {};
  #hasReportedWork = false;
  #isRecycled = false;
  #stopping: Promise<void> | undefined;
  #settleStopped: (stopping: Promise<void>) => void = () => {};

  constructor(options: ClusterWorkerOptions, start: WorkerStartMessage, news: ServerNews) {
    this.#options = options;
    this.#start = start;
    this.#news = news;
    this.made = new Promise((resolve, reject) => {
      this.#settleMade = { resolve, reject };
    });
    this.stopped = new Promise((resolve) => {
      this.#settleStopped = resolve;
    });
    // The primary reports the error of a failed start, so the program need not await this promise.
    this.made.catch(() => {});
  }

  /** Resolves when the server listens. @throws the error of a server that cannot listen */
  async start(): Promise<void> {
    const { server, listen, attach } = this.#options;
    try {
      const app = server === undefined ? undefined : await createServedApp(server);
      this.#settleMade.resolve(app?.server);
      if (app === undefined) return;
      const traffic = watchTraffic(app.server, () => this.#changed());
      this.#served = { app, traffic };
      if (this.#start.connections === 'external' || listen === undefined) {
        await app.ready();
        this.#attachment = attach?.(app.server);
      } else if (this.#start.connections === 'own') {
        await app.listen(listen);
      } else {
        this.#port = new PortClient(app.server, {
          open: () => traffic.connections.size,
          replace: () => this.#news.recycle(),
        });
        await app.listen(listen);
      }
    } catch (error) {
      this.#settleMade.reject(error);
      throw error;
    }
    this.#report();
    this.#timer = setInterval(() => this.#report(), REPORT_EVERY_MS).unref();
  }

  /** Accepts no further requests, and finishes the others within `graceMs`. Resolves when the server is closed. Idempotent. */
  stop(graceMs: number = this.#start.graceMs): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#stop(graceMs);
      this.#settleStopped(this.#stopping);
    }
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    this.isDraining = true;
    if (this.#served === undefined) return;
    const { app } = this.#served;
    const end = endWithin(graceMs, this.#start);
    if (this.#attachment !== undefined) await this.#attachment.close(end);
    else await this.#leaveAsLameDuck(this.#served, end);
    clearInterval(this.#timer);
    this.#report();
    await app.close();
    this.#report();
  }

  /**
   * Ends the traffic without a failed request. The server accepts no connection, and each answer has `Connection: close`, so
   * that clients that keep a connection busy learn it before it is closed. After `lameDuckMs` connections without a request in
   * flight are closed, even with a part of a request's head; requests in flight have all of `graceMs`.
   */
  async #leaveAsLameDuck(
    { app, traffic }: Served,
    { lameDuckMs, graceMs }: WorkerEnd,
  ): Promise<void> {
    const until = performance.now() + graceMs;
    const isEmpty = (): boolean => traffic.connections.size === 0;
    traffic.turnAway();
    if (this.#port === undefined) stopListening(app.server);
    else await this.#port.leave();
    await this.#waitFor(isEmpty, Math.min(lameDuckMs, until - performance.now()));
    traffic.destroyIdle();
    await this.#waitFor(() => isEmpty() || !traffic.isBusy, until - performance.now());
    // The connections that are left have a request whose body or answer is too slow.
    for (const socket of traffic.connections) socket.destroy();
  }

  async #waitFor(isSo: () => boolean, longestMs: number): Promise<void> {
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        this.#wake();
      },
      Math.max(0, longestMs),
    );
    while (!isSo() && !isLate) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    clearTimeout(timer);
  }

  /** Handles the end of a request or a connection. */
  #changed(): void {
    this.#wake();
    const requests = this.#served?.traffic.requests ?? 0;
    // The first answer proves that the worker works; later ones are reported at intervals.
    if (!this.#hasReportedWork && requests > 0) this.#report();
    const { maxRequests } = this.#start;
    if (maxRequests !== undefined && requests >= maxRequests && !this.#isRecycled) {
      this.#isRecycled = true;
      this.#news.recycle();
    }
  }

  #report(): void {
    if (this.#served === undefined) return;
    const { app, traffic } = this.#served;
    const { requests, inFlight, connections } = traffic;
    const address = app.server.address() ?? undefined;
    const report: WorkerReport = {
      requests,
      inFlight,
      connections: connections.size,
      address,
      attached: this.#attachment !== undefined,
    };
    const text = JSON.stringify(report);
    if (text === this.#lastReport) return;
    this.#lastReport = text;
    this.#hasReportedWork = requests > 0;
    this.#news.report(report);
  }
}

/** Divides the milliseconds until the worker is killed. If they are fewer than at the start, the lame duck is shorter in proportion. */
function endWithin(graceMs: number, start: WorkerEnd): WorkerEnd {
  const trafficMs = Math.floor(graceMs - Math.min(EXIT_MS, graceMs / 2));
  const share = graceMs < start.graceMs ? graceMs / start.graceMs : 1;
  return {
    graceMs: trafficMs,
    lameDuckMs: Math.floor(Math.min(start.lameDuckMs * share, trafficMs)),
  };
}
