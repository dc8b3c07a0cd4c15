import http from 'node:http';
import autocannon, { type Result } from 'autocannon';

/** Outcomes of the requests of a load. */
export interface LoadReport {
  readonly answered: number;
  /** Answers other than 200, broken connections and missing answers, counted by kind. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface Load {
  /** Resolves when this number of further requests has been answered. */
  more(answers: number): Promise<void>;
  /** Sends no further requests, and resolves when all have been answered or given up. */
  stop(): Promise<LoadReport>;
}

/** Keeps connections busy, whatever `Connection` an answer has. Waits for each missing answer. */
export function startLoad(url: string, connections: number): Load {
  let finish = (_: Result): void => {};
  const done = new Promise<Result>((resolve) => {
    finish = resolve;
  });
  // It heeds its `stop()` each `sampleInt`, which its types do not know.
  const options = { url, connections, duration: 3600, timeout: 3600, sampleInt: 20 };
  const cannon = autocannon(options, (_, result) => finish(result));
  const counter = createCounter();
  cannon.on('response', counter.count);
  return {
    more: counter.more,
    async stop() {
      (cannon as unknown as { stop(): void }).stop();
      const { '2xx': answered, non2xx, errors, timeouts, mismatches } = await done;
      return { answered, failures: nonZero({ non2xx, errors, timeouts, mismatches }) };
    },
  };
}

/**
 * Keeps connections busy as a client should: one whose answer has `Connection: close` gets no further request. No
 * request is sent more than `tries` times, and each has an answer or counts as a failure.
 */
export function startStrictLoad(url: string, connections: number, tries = 1): Load {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const failures: Record<string, number> = {};
  const counter = createCounter();
  let answered = 0;
  let stopped = false;
  const lane = async (): Promise<void> => {
    while (!stopped) {
      let met = await get(url, agent);
      for (let tried = 1; met !== 200 && tried < tries; tried++) met = await get(url, agent);
      counter.count();
      if (met === 200) answered += 1;
      else failures[met] = (failures[met] ?? 0) + 1;
    }
  };
  const lanes = Promise.all(Array.from({ length: connections }, lane));
  return {
    more: counter.more,
    async stop() {
      stopped = true;
      await lanes;
      agent.destroy();
      return { answered, failures };
    },
  };
}

/** Counts answers, and resolves when a number of further ones has come. */
export function createCounter(): { count(): void; more(answers: number): Promise<void> } {
  let waiting: { left: number; resolve(): void }[] = [];
  return {
    count() {
      for (const each of waiting) {
        each.left -= 1;
        if (each.left === 0) each.resolve();
      }
      waiting = waiting.filter(({ left }) => left > 0);
    },
    more: (left) => new Promise((resolve) => waiting.push({ left, resolve })),
  };
}

/** A server that never answers is waited for. @returns the status, or the code of what was met instead */
export function get(url: string, agent: http.Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const request = http.get(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', (error) => resolve(codeOf(error)));
    });
    request.once('error', (error) => resolve(codeOf(error)));
  });
}

function codeOf(error: Error & { readonly code?: string }): string {
  return error.code ?? error.message;
}

function nonZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
