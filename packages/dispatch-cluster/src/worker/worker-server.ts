import { PortClient, stopListening } from './port-client.ts';
import { createServedApp, ofServer, type ServedApp } from './served-app.ts';
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
  #settle!: {
    made(server: HttpServer | undefined): void;
    failed(error: unknown): void;
    stopped(stopping: Promise<void>): void;
  };
  /** The main server once it is made, then further servers that listen through node:cluster. */
  readonly #servers: Served[] = [];
  #attachment: Attachment | undefined;
  #port: PortClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The latest report, as text. */
  #reported: { readonly text: string; readonly hasWork: boolean } = { text: '', hasWork: false };
  /** Ends the current wait for connections and requests to end. */
  #wake: () => void = () => {};
  #isRecycled = false;
  #stopping: Promise<void> | undefined;

  constructor(options: ClusterWorkerOptions, start: WorkerStartMessage, news: ServerNews) {
    this.#options = options;
    this.#start = start;
    this.#news = news;
    let stopped!: (stopping: Promise<void>) => void;
    this.stopped = new Promise((resolve) => {
      stopped = resolve;
    });
    this.made = new Promise((made, failed) => {
      this.#settle = { made, failed, stopped };
    });
    // The primary reports the error of a failed start, so the program need not await this promise.
    this.made.catch(() => {});
  }

  /** Resolves when the server listens. @throws the error of a server that cannot listen */
  async start(): Promise<void> {
    const { server, listen, attach } = this.#options;
    try {
      const app = server === undefined ? undefined : await createServedApp(server);
      this.#settle.made(app?.server);
      if (app === undefined) return;
      const traffic = watchTraffic(app.server, () => this.#changed());
      this.#servers.unshift({ app, traffic });
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
      this.#settle.failed(error);
      throw error;
    }
    this.#report();
    this.#timer = setInterval(() => this.#report(), REPORT_EVERY_MS).unref();
  }

  /** Counts and ends the requests of a further server like requests of the first: the program lets it listen by itself. */
  serveAlso(server: HttpServer): void {
    const traffic = watchTraffic(server, () => this.#changed());
    this.#servers.push({ app: ofServer(server), traffic });
  }

  /** Accepts no further requests, and finishes the others within `graceMs`. Resolves when the server is closed. Idempotent. */
  stop(graceMs: number = this.#start.graceMs): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#stop(graceMs);
      this.#settle.stopped(this.#stopping);
    }
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    this.isDraining = true;
    const [first] = this.#servers;
    if (first === undefined) return;
    const end = endWithin(graceMs, this.#start);
    if (this.#attachment !== undefined) await this.#attachment.close(end);
    else await this.#leaveAsLameDuck(end);
    clearInterval(this.#timer);
    this.#report();
    await Promise.all(this.#servers.map(({ app }) => app.close()));
    this.#report();
  }

  /**
   * Ends the traffic without a failed request. The servers accept no connection, and each answer has `Connection: close`, so
   * that clients that keep a connection busy learn it before it is closed. After `lameDuckMs` connections without a request in
   * flight are closed, even with a part of a request's head; requests in flight have all of `graceMs`.
   */
  async #leaveAsLameDuck({ lameDuckMs, graceMs }: WorkerEnd): Promise<void> {
    const servers = this.#servers;
    const until = performance.now() + graceMs;
    const isEmpty = (): boolean => servers.every(({ traffic }) => traffic.connections.size === 0);
    const isIdle = (): boolean => servers.every(({ traffic }) => !traffic.isBusy);
    for (const [index, { app, traffic }] of servers.entries()) {
      traffic.turnAway();
      if (index > 0 || this.#port === undefined) stopListening(app.server);
    }
    await this.#port?.leave();
    await this.#waitFor(isEmpty, Math.min(lameDuckMs, until - performance.now()));
    for (const { traffic } of servers) traffic.destroyIdle();
    await this.#waitFor(() => isEmpty() || isIdle(), until - performance.now());
    // The connections that are left have a request whose body or answer is too slow.
    for (const { traffic } of servers) for (const socket of traffic.connections) socket.destroy();
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
    const requests = this.#requests();
    // The first answer proves that the worker works; later ones are reported at intervals.
    if (!this.#reported.hasWork && requests > 0) this.#report();
    const { maxRequests } = this.#start;
    if (maxRequests !== undefined && requests >= maxRequests && !this.#isRecycled) {
      this.#isRecycled = true;
      this.#news.recycle();
    }
  }

  /** Returns the requests of all servers. For each request, so without a list of them. */
  #requests(): number {
    let requests = 0;
    for (const { traffic } of this.#servers) requests += traffic.requests;
    return requests;
  }

  #sum(figureOf: (traffic: Traffic) => number): number {
    return this.#servers.reduce((sum, { traffic }) => sum + figureOf(traffic), 0);
  }

  #report(): void {
    const [first] = this.#servers;
    if (first === undefined) return;
    const requests = this.#requests();
    const address = first.app.server.address() ?? undefined;
    const report: WorkerReport = {
      requests,
      inFlight: this.#sum(({ inFlight }) => inFlight),
      connections: this.#sum(({ connections }) => connections.size),
      address,
      attached: this.#attachment !== undefined,
    };
    const text = JSON.stringify(report);
    if (text === this.#reported.text) return;
    this.#reported = { text, hasWork: requests > 0 };
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
