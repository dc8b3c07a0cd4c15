import http from 'node:http';
import https from 'node:https';

/** Requests at a constant rate. */
export interface LoadOrder {
  /** 1 to 50. */
  readonly perSecond: number;
  /** 1 to 120. */
  readonly seconds: number;
  /** Path and query of a GET request. */
  readonly path: string;
}

/** Progress of a load. */
export interface LoadState extends LoadOrder {
  readonly sent: number;
  /** Answers by status; 0: no answer. */
  readonly answers: Readonly<Record<string, number>>;
  readonly isRunning: boolean;
}

/** A little load on the server itself, so that there is something to see. */
export interface SomeLoad {
  /** Starts the load; `ended` is called once every answer has come. Returns `false` if one is running. */
  start(url: string, order: LoadOrder, ended: (state: LoadState) => void): boolean;
  /** The latest one. */
  state(): LoadState | undefined;
  /** Ends the load, and its requests. */
  close(): void;
}

/** Requests without an answer above this number are not followed by others. */
const MOST_OPEN = 200;
const TIMEOUT_MS = 10_000;

/** Creates a load that does not run yet. */
export function createSomeLoad(): SomeLoad {
  let state:
    | (LoadOrder & { sent: number; answers: Record<string, number>; isRunning: boolean })
    | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let stopping = new AbortController();

  function begin(url: string, order: LoadOrder, ended: (state: LoadState) => void): void {
    const own = { ...order, sent: 0, answers: {} as Record<string, number>, isRunning: true };
    state = own;
    stopping = new AbortController();
    const target = new URL(order.path, url);
    // A request of this process to its own server: whose certificate it is does not matter.
    const agent =
      target.protocol === 'https:'
        ? new https.Agent({ keepAlive: true, rejectUnauthorized: false })
        : new http.Agent({ keepAlive: true });
    const { request } = target.protocol === 'https:' ? https : http;
    const { signal } = stopping;
    let open = 0;
    let due = order.perSecond * order.seconds;

    function end(status: number): void {
      own.answers[status] = (own.answers[status] ?? 0) + 1;
      open -= 1;
      finish();
    }

    function finish(): void {
      if (due > 0 || open > 0 || !own.isRunning) return;
      own.isRunning = false;
      agent.destroy();
      ended(own);
    }

    function ask(): void {
      let isSettled = false;
      const settle = (status: number): void => {
        if (!isSettled) end(status);
        isSettled = true;
      };
      open += 1;
      own.sent += 1;
      const headers = { accept: 'application/json' };
      const sent = request(target, { agent, headers, signal, timeout: TIMEOUT_MS }, (response) => {
        response.resume();
        response.once('close', () => settle(response.statusCode ?? 0));
      });
      sent.once('timeout', () => sent.destroy(new Error('no answer')));
      sent.once('error', () => settle(0));
      sent.end();
    }

    timer = setInterval(() => {
      due -= 1;
      if (due <= 0) clearInterval(timer);
      if (open < MOST_OPEN) ask();
      else finish();
    }, 1000 / order.perSecond);
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      due = 0;
      own.isRunning = false;
      agent.destroy();
    });
  }

  return {
    start(url, order, ended) {
      if (state?.isRunning) return false;
      begin(url, order, ended);
      return true;
    },
    state: () => state,
    close() {
      stopping.abort();
    },
  };
}
