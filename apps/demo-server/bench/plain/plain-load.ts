import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { addDays } from '@ticketing/core';

const CITIES = ['Atocha', 'Sants', 'Sevilla Santa Justa', 'Zaragoza Delicias', 'Cordoba'];
const DAYS = 40;

/** Paths of different searches: no two that are under way at a time are equal. */
export function questionsOf(): readonly string[] {
  const today = new Date().toISOString().slice(0, 10);
  const pairs = CITIES.flatMap((origin) =>
    CITIES.filter((destination) => destination !== origin).map((destination) => ({
      origin,
      destination,
    })),
  );
  return Array.from({ length: DAYS }, (_, day) => day).flatMap((day) =>
    pairs.map(({ origin, destination }) => {
      const date = addDays(today, 2 + day);
      return `/search?${new URLSearchParams({ origin, destination, date })}`;
    }),
  );
}

interface Load {
  readonly paths: readonly string[];
  /** Requests at a time, each path once. */
  readonly inFlight?: number;
  /** Requests per second for so many seconds, however long answers take; the paths in turn. */
  readonly perSecond?: number;
  readonly seconds?: number;
  /** Milliseconds within which an answer is good. Default: any. */
  readonly goodMs?: number;
}

/** Answers to a load. */
export interface Loaded {
  readonly perSecond: number;
  /** Answers with status 200 in time. */
  readonly goodPerSecond: number;
  /** Milliseconds; of every answer. */
  readonly p99: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Asks a server, at a rate or so many at a time. */
export async function askMany(url: string, load: Load): Promise<Loaded> {
  const { paths, inFlight, perSecond = 0, seconds = 0, goodMs = Number.POSITIVE_INFINITY } = load;
  const startedAt = performance.now();
  const took: number[] = [];
  let good = 0;
  const ask = async (path: string): Promise<void> => {
    const sentAt = performance.now();
    const status = await statusOf(url + path);
    const ms = performance.now() - sentAt;
    took.push(ms);
    if (status === 200 && ms <= goodMs) good += 1;
  };
  if (inFlight !== undefined) {
    const left = [...paths];
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        for (let path = left.shift(); path !== undefined; path = left.shift()) await ask(path);
      }),
    );
  } else {
    const asked: Promise<void>[] = [];
    for (let sent = 0; sent < perSecond * seconds; sent++) {
      const dueMs = startedAt + (sent * 1000) / perSecond - performance.now();
      if (dueMs > 1) await sleep(dueMs);
      asked.push(ask(paths[sent % paths.length] ?? ''));
    }
    await Promise.all(asked);
  }
  const elapsed = (performance.now() - startedAt) / 1000;
  const sorted = took.toSorted((a, b) => a - b);
  return {
    perSecond: took.length / elapsed,
    goodPerSecond: good / (inFlight === undefined ? seconds : elapsed),
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  };
}

/** Time after which a client gives up. */
const PATIENCE_MS = 20_000;

/** Returns the status of an answer, 0 of a connection that failed or of a client that gave up. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    get(url, { agent, signal, headers: { accept: 'application/json' } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(0));
    }).once('error', () => resolve(0));
  });
}

/** Sends requests, and closes their connections after a time. */
export async function askThenLeave(
  url: string,
  paths: readonly string[],
  ms: number,
): Promise<void> {
  const requests = paths.map((path) => get(url + path, { agent: false }).on('error', () => {}));
  await sleep(ms);
  for (const request of requests) request.destroy();
}

/** Returns the requests that reach the carriers after all clients have left. */
export async function arrivedAfterLeaving(
  carriersUrl: string,
  leave: () => Promise<void>,
): Promise<number> {
  await leave();
  // What was on its way has arrived.
  await sleep(50);
  const before = await arrivedAt(carriersUrl);
  await sleep(3000);
  return (await arrivedAt(carriersUrl)) - before;
}

async function arrivedAt(carriersUrl: string): Promise<number> {
  const counts = (await (await fetch(`${carriersUrl}/requests`)).json()) as Record<
    string,
    { readonly arrived: number }
  >;
  return Object.values(counts).reduce((sum, { arrived }) => sum + arrived, 0);
}
