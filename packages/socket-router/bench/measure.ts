import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { interleaved, medianRatio } from '@ticketing/bench-kit';
import type { Cell } from './cells.ts';
import type { Contender } from './contenders.ts';
import { cpuMs } from './cpu.ts';
import type { Load, Loaded } from './programs/load-program.ts';

/** What a contender did in one slice of time. */
export interface Slice {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Microseconds of processor for a request. */
  readonly masterUs: number;
  readonly workerUs: number;
  readonly failures: number;
}

/** What a contender did in all rounds of a cell. */
export interface Measured {
  readonly name: string;
  readonly slices: readonly Slice[];
  /** Median of each round's ratio of requests a second to the first contender's in the same round. */
  readonly ratio: number;
}

export interface MeasureOptions {
  readonly rounds: number;
  /** Of a slice. */
  readonly seconds: number;
}

/** Proves that all answer the same before any of them is measured. @throws AssertionError */
export async function proveEqual(contenders: readonly Contender[]): Promise<void> {
  const body = randomBytes(3 * 1024 * 1024);
  const md5 = createHash('md5').update(body).digest('hex');
  for (const { name, port } of contenders) {
    assert.equal(await ask(port, '/', undefined), 'hello', name);
    for (let time = 0; time < 8; time++) assert.equal(await ask(port, '/md5', body), md5, name);
    assert.equal(await ask(port, '/sink', body), String(body.length), name);
  }
}

/** Measures contenders in one cell, in interleaved rounds; one of a second first warms up. */
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
  { port, masters, workers }: Contender,
  load: Omit<Load, 'port'>,
): Promise<Slice> {
  const before = [cpuMs(masters), cpuMs(workers)];
  generator.send({ ...load, port } satisfies Load);
  const [message] = await once(generator, 'message');
  const { answers, seconds, p99Ms, failures } = message as Loaded;
  return {
    perSecond: answers / seconds,
    p99Ms,
    masterUs: (1000 * (cpuMs(masters) - (before[0] ?? 0))) / answers,
    workerUs: (1000 * (cpuMs(workers) - (before[1] ?? 0))) / answers,
    failures,
  };
}

/** Asks up to three times: httpxy drops one connection in some hundreds. Under load the dropped ones are counted. */
async function ask(port: number, path: string, body: Buffer | undefined): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(port, path, body);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

async function askOnce(port: number, path: string, body: Buffer | undefined): Promise<string> {
  const method = body === undefined ? 'GET' : 'POST';
  const asked = request({ host: '127.0.0.1', port, path, method, agent: false });
  asked.end(body);
  const [response] = await once(asked, 'response');
  return text(response);
}
