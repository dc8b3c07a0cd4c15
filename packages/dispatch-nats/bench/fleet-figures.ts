import { connect } from '@nats-io/transport-node';
import {
  interleaved,
  median,
  medianRatio,
  nextMessage,
  percent,
  quantile,
  three,
  times,
} from '@ticketing/bench-kit';
import { takeSlice } from '@ticketing/dispatch/bench/slices';
import { createNatsDispatcher } from '@ticketing/dispatch-nats';
import { fleetCaller, inboxCaller, startHosts } from './contenders.ts';
import type { HostSetting, Tasks } from './host.ts';

const FAST_MS = 2;
const SLOW_MS = 20;
const IN_FLIGHT = 16;

/** Measures two hosts that run one task at a time, one of them ten times slower: chosen by the kernel, or by a queue group. */
export async function measureSlowHost(
  url: string,
  { rounds, sliceMs }: { readonly rounds: number; readonly sliceMs: number },
): Promise<string[]> {
  const fleet = 'slow';
  const hosts = await startHosts(
    (['fleet', 'queue group'] as const).flatMap((role): HostSetting[] => [
      { role, url, fleet, waitMs: FAST_MS },
      { role, url, fleet, waitMs: SLOW_MS },
    ]),
  );
  const callers = [await fleetCaller(url, fleet, 2000), await inboxCaller(url, fleet)];
  const perSecond = callers.map((): number[] => []);
  const p99s = callers.map((): number[] => []);
  for (const { item, place, round } of interleaved(callers, { rounds: Math.ceil(rounds / 2) })) {
    const took: number[] = [];
    const run = async () => {
      const start = performance.now();
      await item.run('wait', undefined);
      took.push(performance.now() - start);
    };
    const slice = await takeSlice(run, {
      inFlight: IN_FLIGHT,
      sliceMs: Math.max(5 * sliceMs, 500),
    });
    if (round < 0) continue;
    perSecond[place]?.push(slice.perSecond);
    p99s[place]?.push(
      quantile(
        took.sort((a, b) => a - b),
        0.99,
      ),
    );
  }
  for (const caller of callers) await caller.close();
  await hosts.close();
  const [own = [], group = []] = perSecond;
  const [ownP99 = [], groupP99 = []] = p99s;
  return [
    `- One of two hosts ten times slower, ${IN_FLIGHT} in flight: ${three(median(own))} calls a second and a p99 of ${three(median(ownP99))} ms; ` +
      `a queue group ${three(median(group))} and ${three(median(groupP99))} ms: ${times(medianRatio(own, group))}.`,
  ];
}

/** Measures the cost of an idle session: messages of the server, and CPU on both sides. */
export async function measureIdle(url: string, seconds: number): Promise<string[]> {
  const fleet = 'idle';
  const hosts = await startHosts([{ role: 'fleet', url, fleet, waitMs: 0 }]);
  const child = hosts.processes[0];
  const cpuOfHost = async (): Promise<number> => {
    if (child === undefined) throw new Error('Cannot measure: no host has started');
    const answer = nextMessage<{ cpuUs: number }>(child);
    child.send('cpu');
    return (await answer).cpuUs;
  };
  const own = await fleetCaller(url, fleet);
  await own.run('echo', 1);
  const watcher = await connect({ servers: url });
  const counts = { s: 0, d: 0, other: 0 };
  watcher.subscribe(`tt.${fleet}.>`, {
    callback: (_error, { subject }) => {
      const kind = subject.split('.')[2] ?? '';
      counts[kind === 's' || kind === 'd' ? kind : 'other'] += 1;
    },
  });
  await watcher.flush();
  // The rest of the start must pass, such as answers to `who`.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  Object.assign(counts, { s: 0, d: 0, other: 0 });
  const [before, start] = [await cpuOfHost(), performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const elapsedMs = performance.now() - start;
  const share = (await cpuOfHost()) - before;
  const each = (count: number) => three((1000 * count) / elapsedMs);
  await Promise.all([watcher.close(), own.close()]);
  await hosts.close();
  return [
    `- An idle session: ${each(counts.s)} messages a second to the host, ${each(counts.d)} back, ${each(counts.other)} others; ` +
      `the host's process, with all that it does, takes ${percent(share / 1000 / elapsedMs)} of a core.`,
  ];
}

/** Measures the time from the signal that ends or stops a host to the rejection of its call. */
export async function measureLosses(url: string, rounds: number): Promise<string[]> {
  const took: Record<string, number[]> = { SIGKILL: [], SIGSTOP: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const fleet = `loss-${round}-${signal.toLowerCase()}`;
      const hosts = await startHosts([{ role: 'fleet', url, fleet, waitMs: 60_000 }]);
      const dispatcher = createNatsDispatcher<Tasks>({ nats: { servers: url }, fleet });
      await dispatcher.ready();
      const call = dispatcher.run('wait', undefined as never).catch((error) => error);
      await dispatcher.run('echo', 1);
      // At any time between two beats.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 250));
      const start = performance.now();
      hosts.processes[0]?.kill(signal);
      await call;
      took[signal]?.push(performance.now() - start);
      await dispatcher.close();
      await hosts.close();
    }
  }
  const [killed = [], stopped = []] = Object.values(took);
  return [
    `- A call whose host is killed is rejected after ${three(median(killed))} ms (at most ${three(Math.max(...killed))}), ` +
      `one whose host stops answering after ${three(median(stopped))} ms (${three(Math.max(...stopped))}), with beats of 250 ms.`,
  ];
}
