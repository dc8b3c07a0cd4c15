import type { WorkerReport } from '../worker-report.ts';
import type { WorkerStartMessage } from '../worker-start.ts';
import { leaveAsLameDuck } from './lame-duck.ts';
import { PortClient } from './port-client.ts';
import { createServedApp, type ServedApp } from './served-app.ts';
import { type Traffic, watchTraffic } from './traffic.ts';
import type { Attachment, ClusterWorkerOptions, HttpServer } from './worker-options.ts';

/** What the server tells the primary. */
export interface ServerNews {
  report(report: WorkerReport): void;
  /** It has served its time. */
  recycle(): void;
}

const REPORT_EVERY_MS = 500;

/** The server of a worker, from its making to its end. */
export class WorkerServer {
  isDraining = false;
  readonly made: Promise<HttpServer | undefined>;
  readonly #options: ClusterWorkerOptions;
  readonly #start: WorkerStartMessage;
  readonly #news: ServerNews;
  #tellMade: { resolve(server: HttpServer | undefined): void; reject(error: unknown): void };
  #served: { readonly app: ServedApp; readonly traffic: Traffic } | undefined;
  #attachment: Attachment | undefined;
  #port: PortClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last = '';
  #waiting: (() => void)[] = [];
  #toldOfWork = false;
  #asked = false;
  #stopping: Promise<void> | undefined;

  constructor(options: ClusterWorkerOptions, start: WorkerStartMessage, news: ServerNews) {
    this.#options = options;
    this.#start = start;
    this.#news = news;
    const { promise, ...told } = withResolvers<HttpServer | undefined>();
    this.made = promise;
    this.#tellMade = told;
    // The primary is told why a start fails; whoever waits here may look as well.
    promise.catch(() => {});
  }

  /** Resolves when it listens. @throws what keeps it from that */
  async start(): Promise<void> {
    const { server, listen, attach } = this.#options;
    try {
      const app = server === undefined ? undefined : await createServedApp(server);
      this.#tellMade.resolve(app?.server);
      if (app === undefined) return;
      const traffic = watchTraffic(app.server, () => this.#changed());
      this.#served = { app, traffic };
      if (this.#start.connections === 'external' || listen === undefined) {
        await app.ready();
        this.#attachment = attach?.(app.server);
      } else {
        this.#port = new PortClient(app.server, {
          open: () => traffic.connections.size,
          replace: () => this.#news.recycle(),
        });
        await app.listen(listen);
      }
    } catch (error) {
      this.#tellMade.reject(error);
      throw error;
    }
    this.#report();
    this.#timer = setInterval(() => this.#report(), REPORT_EVERY_MS).unref();
  }

  /** Serves what it has, and no more. Resolves when nothing of the server is left. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.isDraining = true;
    if (this.#served === undefined) return;
    const { app, traffic } = this.#served;
    const { lameDuckMs, graceMs } = this.#start;
    if (this.#attachment !== undefined) {
      await this.#attachment.close({ graceMs: lameDuckMs + graceMs, lameDuckMs });
    } else {
      const changed = (): Promise<void> => new Promise((resolve) => this.#waiting.push(resolve));
      const leave = async (): Promise<void> => this.#port?.leave();
      const leaving = { lameDuckMs, graceMs, leave, changed };
      await leaveAsLameDuck(traffic, leaving);
    }
    clearInterval(this.#timer);
    this.#report();
    await app.close();
    this.#report();
  }

  #changed(): void {
    // After every request: nothing is made here unless it is needed.
    if (this.#waiting.length > 0) for (const resolve of this.#waiting.splice(0)) resolve();
    const requests = this.#served?.traffic.requests ?? 0;
    // The first answer proves that the worker works; the rest is told from time to time.
    if (!this.#toldOfWork && requests > 0) this.#report();
    const { maxRequests } = this.#start;
    if (maxRequests !== undefined && requests >= maxRequests && !this.#asked) {
      this.#asked = true;
      this.#news.recycle();
    }
  }

  #report(): void {
    if (this.#served === undefined) return;
    const { app, traffic } = this.#served;
    const { requests, inFlight, connections } = traffic;
    const address = app.server.address() ?? undefined;
    const report: WorkerReport = { requests, inFlight, connections: connections.size, address };
    const text = JSON.stringify(report);
    if (text === this.#last) return;
    this.#last = text;
    this.#toldOfWork = requests > 0;
    this.#news.report(report);
  }
}

function withResolvers<T>(): {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
} {
  let told = { resolve: (_: T): void => {}, reject: (_: unknown): void => {} };
  const promise = new Promise<T>((resolve, reject) => {
    told = { resolve, reject };
  });
  return { promise, ...told };
}
