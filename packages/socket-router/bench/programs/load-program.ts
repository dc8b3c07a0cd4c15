// Sends requests for some seconds by autocannon, in a process of its own.
import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';

/** A load to send; `bodyBytes` 0 is a GET. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly bodyBytes: number;
  /** Connections are kept. */
  readonly reuse: boolean;
  readonly seconds: number;
}

/** The result of a load. */
export interface Loaded {
  readonly answers: number;
  readonly seconds: number;
  readonly p99Ms: number;
  /** Answers other than 200, broken connections, and timeouts. */
  readonly failures: number;
}

process.on('message', async (load: Load) => {
  const { port, connections, bodyBytes, reuse, seconds } = load;
  const latencies: number[] = [];
  let failures = 0;
  const start = performance.now();
  const result = await autocannon({
    // autocannon does not count the last request on a connection: with one connection per request it counts none.
    setupClient: (client) => {
      let sentAt = 0;
      const events: EventEmitter = client;
      events.on('request', () => {
        sentAt = performance.now();
      });
      events.on('headers', ({ statusCode }: { statusCode: number }) => {
        if (statusCode === 200) latencies.push(performance.now() - sentAt);
        else failures += 1;
      });
    },
    url: `http://127.0.0.1:${port}${bodyBytes > 0 ? '/sink' : '/'}`,
    connections,
    duration: seconds,
    ...(bodyBytes > 0 && { method: 'POST' as const, body: Buffer.alloc(bodyBytes, 'body') }),
    ...(!reuse && { reconnectRate: 1 }),
  });
  process.send?.({
    answers: latencies.length,
    seconds: (performance.now() - start) / 1000,
    p99Ms: latencies.sort((a, b) => a - b)[Math.floor(0.99 * latencies.length)] ?? 0,
    failures: failures + result.errors + result.timeouts,
  } satisfies Loaded);
});
