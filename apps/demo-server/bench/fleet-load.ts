import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

/** How often each key was loaded by the simulator of this process, and how many loads it had at a time at most. */
export interface Loads {
  readonly perKey: ReadonlyMap<string, number>;
  readonly mostAtOnce: ReadonlyMap<string, number>;
  total(): number;
  reset(): void;
  close(): void;
}

/**
 * Counts loads by the requests for the day of a key. A search asks Avlo for its day and the one before, and keys are two days apart,
 * so a request for a key's own day is one load of it.
 */
export function countLoads(port: number, keys: readonly string[]): Loads {
  const known = new Set(keys);
  const perKey = new Map<string, number>();
  const mostAtOnce = new Map<string, number>();
  const open = new Map<string, number>();
  const keyOf = ({ request: { url = '' } }: Exchange): string | undefined => {
    const [, day = ''] = /^\/avlo\/timetable\/([\d-]+)\.json/.exec(url) ?? [];
    return known.has(day) ? day : undefined;
  };
  const add = (counts: Map<string, number>, key: string, count: number): number => {
    const now = (counts.get(key) ?? 0) + count;
    counts.set(key, now);
    return now;
  };
  const onStart = (message: unknown): void => {
    const exchange = message as Exchange;
    const key = keyOf(exchange);
    const address = exchange.server.address();
    if (key === undefined || typeof address !== 'object' || address?.port !== port) return;
    add(perKey, key, 1);
    mostAtOnce.set(key, Math.max(mostAtOnce.get(key) ?? 0, add(open, key, 1)));
    exchange.response.once('close', () => add(open, key, -1));
  };
  subscribe('http.server.request.start', onStart);
  return {
    perKey,
    mostAtOnce,
    total: () => [...perKey.values()].reduce((all, one) => all + one, 0),
    reset() {
      perKey.clear();
      mostAtOnce.clear();
    },
    close: () => void unsubscribe('http.server.request.start', onStart),
  };
}

interface Exchange {
  readonly server: Server;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** An answer, and how long it took. */
export interface Answer {
  /** 0: no answer. */
  readonly status: number;
  readonly ms: number;
}

/** Clients that keep their connections. */
export interface Clients {
  ask(url: string): Promise<Answer>;
  close(): void;
}

export function createClients(): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  return {
    ask(url) {
      const startedAt = performance.now();
      return new Promise((resolve) => {
        const end = (status: number): void =>
          resolve({ status, ms: performance.now() - startedAt });
        const asked = request(url, { agent }, (response) => {
          response.resume();
          response.once('end', () => end(response.statusCode ?? 0));
          response.once('error', () => end(0));
          response.once('aborted', () => end(0));
        });
        asked.once('error', () => end(0));
        asked.end();
      });
    },
    close: () => agent.destroy(),
  };
}
