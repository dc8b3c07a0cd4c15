import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { interleaved, medianRatio, nextMessage } from '@ticketing/bench-kit';
import type { Contender } from './contenders.ts';
import type { Load, Loaded } from './programs/load-program.ts';

/** The result of a contender in one slice of time. */
export interface Slice {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Microseconds of processor time per request. */
  readonly frontUs: number;
  readonly workerUs: number;
  readonly failures: number;
}

/** The results of a contender in all rounds of a cell. */
export interface Measured {
  readonly name: string;
  readonly slices: readonly Slice[];
  /** Median of each round's ratio of requests per second to the first contender's in the same round. */
  readonly ratio: number;
}

export interface MeasureOptions {
  readonly rounds: number;
  /** Duration of a slice. */
  readonly seconds: number;
}

/** Proves that all contenders answer alike before any is measured. @throws AssertionError */
export async function proveEqual(contenders: readonly Contender[]): Promise<void> {
  const body = randomBytes(3 * 1024 * 1024);
  const md5 = createHash('md5').update(body).digest('hex');
  for (const { name, port } of contenders) {
    assert.equal(await ask(port, '/', undefined), 'hello', name);
    for (let time = 0; time < 8; time++) assert.equal(await ask(port, '/md5', body), md5, name);
    assert.equal(await ask(port, '/sink', body), String(body.length), name);
  }
}

/** Measures contenders in one cell, in interleaved rounds, after a warm-up of one second. */
export async function measureCell(
  contenders: readonly Contender[],
  cell: Cell,
  { rounds, seconds }: MeasureOptions,
): Promise<Measured[]> {
  const generator = fork(new URL('programs/load-program.ts', import.meta.url));
  const slices = contenders.map((): Slice[] => []);
  for (const { item, place, round } of interleaved(contenders, { rounds })) {
    const load = { ...cell, seconds: round < 0 ? 1 : seconds };
    const slice = await takeSlice(generator, item, load);
    if (round >= 0) slices[place]?.push(slice);
  }
  generator.disconnect();
  const rates = slices.map((own) => own.map(({ perSecond }) => perSecond));
  const [first = []] = rates;
  return contenders.map(({ name }, place) => ({
    name,
    slices: slices[place] ?? [],
    ratio: medianRatio(rates[place] ?? [], first),
  }));
}

async function takeSlice(
  generator: ChildProcess,
  { port, fronts, workers }: Contender,
  load: Omit<Load, 'port'>,
): Promise<Slice> {
  const before = [cpuMs(fronts), cpuMs(workers)];
  generator.send({ ...load, port } satisfies Load);
  const { answers, seconds, p99Ms, failures } = await nextMessage<Loaded>(generator);
  return {
    perSecond: answers / seconds,
    p99Ms,
    frontUs: (1000 * (cpuMs(fronts) - (before[0] ?? 0))) / answers,
    workerUs: (1000 * (cpuMs(workers) - (before[1] ?? 0))) / answers,
    failures,
  };
}

/** Tries up to three times: httpxy drops one in some hundred connections. Under load these are counted. */
async function ask(port: number, path: string, body: Buffer | undefined): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(port, path, body);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

export async function askOnce(port: number, path: string, body?: Buffer): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST';
  const asked = request({ host: '127.0.0.1', port, path, method, agent: false });
  asked.end(body);
  const [response] = await once(asked, 'response');
  return text(response);
}

/** Length of the system's clock ticks; every Linux has 100 per second. */
const TICK_MS = 10;

/** Returns the processor time of processes in milliseconds, as the system counts it. */
function cpuMs(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces. Fields 14 and 15 of proc(5): in user mode, and in the kernel.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

/** A kind of load. */
export interface Cell {
  readonly title: string;
  /** 0: a GET. */
  readonly bodyBytes: number;
  readonly connections: number;
  /** True for kept connections; otherwise each request has a connection of its own. */
  readonly reuse: boolean;
}

const MB = 1024 * 1024;

export const CELLS: readonly Cell[] = [
  { title: 'GET, kept', bodyBytes: 0, connections: 64, reuse: true },
  { title: 'GET', bodyBytes: 0, connections: 64, reuse: false },
  { title: '1 MB, kept', bodyBytes: MB, connections: 16, reuse: true },
  { title: '1 MB', bodyBytes: MB, connections: 16, reuse: false },
  { title: '10 MB, kept', bodyBytes: 10 * MB, connections: 8, reuse: true },
  { title: '10 MB', bodyBytes: 10 * MB, connections: 8, reuse: false },
];
