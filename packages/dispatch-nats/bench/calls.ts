import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  interleaved,
  median,
  medianRatio,
  quantile,
  table,
  three,
  times,
} from '@ticketing/bench-kit';
import { measureOwnWays } from '@ticketing/dispatch/bench/own-ways';
import { recordsOf, smallRecord } from '@ticketing/dispatch/bench/payloads';
import { rates } from '@ticketing/dispatch/bench/pool-tables';
import { type Measured, measureSlices, takeSlice } from '@ticketing/dispatch/bench/slices';
import { type Caller, fleetCaller, inboxCaller, requestCaller, startHosts } from './contenders.ts';
import type { HostSetting } from './host.ts';

interface Lengths {
  readonly rounds: number;
  readonly sliceMs: number;
  /** Callers and hosts compile for seconds: rounds of the first calls have a third of the later rate. */
  readonly warmUpMs: number | undefined;
}

/** Calls of several sizes through all callers, each with two hosts of its own. Lines of text. */
export async function measureCalls(
  { url, pid = 0 }: { readonly url: string; readonly pid: number | undefined },
  flags: Lengths,
): Promise<string[]> {
  const fleet = 'bench';
  const setting = (role: HostSetting['role']) => ({ role, url, fleet, waitMs: 0 });
  const hosts = await startHosts([
    setting('fleet'),
    setting('fleet'),
    setting('queue group'),
    setting('queue group'),
  ]);
  // On a busy machine no host counts as dead.
  const own = await fleetCaller(url, fleet, 2000);
  const callers: readonly Caller[] = [
    own,
    await inboxCaller(url, fleet),
    await requestCaller(url, fleet, false),
    await requestCaller(url, fleet, true),
  ];
  const small = smallRecord();
  const buffer = Buffer.alloc(10_000, 7);
  const records = recordsOf(10_000);
  const cases: { readonly title: string; readonly measured: readonly Measured[] }[] = [];
  for (const [title, task, input, expected, inFlight] of [
    ['100 B, 64', 'echo', small, small, 64],
    ['10 KB object, 64', 'echo', records, records, 64],
    ['10 KB Buffer, 64', 'bytes', buffer, buffer, 64],
    ['10 KB rawJson result, 64', 'recordsAsJson', undefined, records, 64],
    ['100 B, 1', 'echo', small, small, 1],
  ] as const) {
    for (const { name, run } of callers) {
      const got = await run(task, input);
      const value = task === 'recordsAsJson' ? JSON.parse(String(got)) : got;
      assert.deepEqual(value, expected, `${name}, ${title}`);
    }
    const contenders = callers.map(({ name, run }) => ({ name, run: () => run(task, input) }));
    cases.push({ title, measured: await measureSlices(contenders, { ...flags, inFlight }) });
  }
  const pids = hosts.processes.map((child) => child.pid ?? 0);
  const cpuOfAll: number[][] = [];
  for (const [task, input] of [
    ['echo', small],
    ['bytes', buffer],
  ] as const) {
    cpuOfAll.push(
      await measureCpuOfAll(callers, (caller) => () => caller.run(task, input), {
        ...flags,
        pids: [pid, ...pids],
      }),
    );
  }
  const times = await measureAlone(callers, 'echo', small, flags);
  const ways = await measureOwnWays(own.dispatcher, flags);
  for (const caller of callers) await caller.close();
  await hosts.close();
  return [
    'Calls per second by size and calls in flight; in brackets the ratio to the dispatcher:',
    '',
    ...rates(callers as never, cases),
    '',
    'One call at a time, 100 B; CPU for a call with 64 in flight: of the caller, and of caller, hosts and server together:',
    '',
    ...table([
      ['', 'p50', 'to publish', 'p99', '100 B', 'together', '10 KB Buffer', 'together'],
      ...callers.map(({ name }, place) => [
        name,
        `${three(times[place]?.p50 ?? 0)} µs`,
        ratio(times[place]?.ratio),
        `${three(times[place]?.p99 ?? 0)} µs`,
        ...[0, 2].flatMap((at, index) => [
          `${three(cases[at]?.measured[place]?.cpuUs ?? 0)} µs`,
          `${three(cpuOfAll[index]?.[place] ?? Number.NaN)} µs`,
        ]),
      ]),
    ]),
    '',
    `- 100 B, 64 in flight: ${against(cases[0], 1)} of publish and own inbox, ${against(cases[0], 2)} of \`request()\`.`,
    `- 10 KB Buffer: ${against(cases[2], 1)} of publish; \`rawJson\`: ${against(cases[3], 1)}.`,
    `- One at a time: p50 ${ratio(times[0]?.ratio)} of publish.`,
    ...ways,
  ];
}

/** Microseconds of all processes for a call: a process that only waits costs little, and other load on the machine counts less. */
async function measureCpuOfAll(
  callers: readonly Caller[],
  runOf: (caller: Caller) => () => Promise<unknown>,
  { rounds, sliceMs, pids }: Lengths & { readonly pids: readonly number[] },
): Promise<number[]> {
  const perCall = callers.map((): number[] => []);
  for (const { item, place, round } of interleaved(callers, { rounds: Math.ceil(rounds / 3) })) {
    const before = pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
    const longMs = 4 * sliceMs;
    const slice = await takeSlice(runOf(item), { inFlight: 64, sliceMs: longMs });
    const others = pids.reduce((sum, pid) => sum + cpuOf(pid), 0) - before;
    const calls = (slice.perSecond * longMs) / 1000;
    if (round >= 0) perCall[place]?.push(slice.cpuUs + others / calls);
  }
  return perCall.map(median);
}

/** Microseconds of a process, in steps of 10 ms; NaN where the system does not say. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return Number.NaN;
  }
}

function ratio(value: number | undefined): string {
  return times(value ?? Number.NaN);
}

/** Calls per second of the first contender, relative to another. */
function against(
  one: { readonly measured: readonly Measured[] } | undefined,
  place: number,
): string {
  const [own, other] = [one?.measured[0], one?.measured[place]];
  return ratio(medianRatio(own?.rounds ?? [], other?.rounds ?? []));
}

/** Times of single calls; ratios are of medians within a round, to the second caller. */
async function measureAlone(
  callers: readonly Caller[],
  task: Parameters<Caller['run']>[0],
  input: unknown,
  flags: Lengths,
): Promise<{ readonly p50: number; readonly p99: number; readonly ratio: number }[]> {
  const p50s = callers.map((): number[] => []);
  const p99s = callers.map((): number[] => []);
  for (const { item, place, round } of interleaved(callers, flags)) {
    globalThis.gc?.();
    const took: number[] = [];
    for (const end = performance.now() + flags.sliceMs; performance.now() < end; ) {
      const start = process.hrtime.bigint();
      await item.run(task, input);
      took.push(Number(process.hrtime.bigint() - start) / 1000);
    }
    took.sort((a, b) => a - b);
    if (round < 0) continue;
    p50s[place]?.push(quantile(took, 0.5));
    p99s[place]?.push(quantile(took, 0.99));
  }
  return callers.map((_, place) => ({
    p50: median(p50s[place] ?? []),
    p99: median(p99s[place] ?? []),
    ratio: medianRatio(p50s[place] ?? [], p50s[1] ?? []),
  }));
}
