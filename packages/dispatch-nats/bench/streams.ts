// Streams through a host and its worker: items passed on, beside two streams with a window each, of the same size and of half of
// it, which has as many items wait. Prints a table; about a minute. Processor time is that of all three programs.
import { type ChildProcess, fork } from 'node:child_process';
import { median, nextMessage, table, three } from '@ticketing/bench-kit';
import { createNatsDispatcher, type NatsDispatcher } from '@ticketing/dispatch-nats';
import { startNatsServer, turns, until } from '@ticketing/test-kit';
import type { StreamHostSetting } from './stream-host.ts';
import type { Tasks } from './stream-tasks.ts';

const ROUNDS = 5;
const COUNT = 20_000;

interface Way {
  readonly name: string;
  /** Share of the window for each stream. */
  readonly part: number;
  readonly child: ChildProcess;
  readonly dispatcher: NatsDispatcher<Tasks>;
}

async function startWay(url: string, twice: boolean): Promise<Omit<Way, 'name' | 'part'>> {
  const fleet = twice ? 'twice' : 'once';
  const setting: StreamHostSetting = { url, fleet, twice };
  const child = fork(new URL('./stream-host.ts', import.meta.url), [JSON.stringify(setting)]);
  await nextMessage(child);
  const dispatcher = createNatsDispatcher<Tasks>({ nats: { servers: url }, fleet });
  await dispatcher.ready();
  return { child, dispatcher };
}

/** Microseconds of the caller, the host and its worker so far. */
async function cpuUsOf({ child, dispatcher }: Way): Promise<number> {
  const answer = nextMessage<{ cpuUs: number }>(child);
  child.send('cpu');
  const { cpuUs } = await answer;
  const { user, system } = process.cpuUsage();
  return cpuUs + (await dispatcher.run('cpuUs')) + user + system;
}

/** Microseconds of processor time, and of time, per item. */
async function measure(way: Way, task: 'items' | 'bytes', window: number): Promise<number[]> {
  const count = window < 4 ? COUNT / 20 : task === 'items' ? COUNT : COUNT / 5;
  const before = await cpuUsOf(way);
  const began = performance.now();
  let seen = 0;
  for await (const _ of way.dispatcher.stream(task, count, { window })) seen += 1;
  const tookMs = performance.now() - began;
  if (seen !== count) throw new Error(`Cannot measure: ${seen} of ${count} items came`);
  return [((await cpuUsOf(way)) - before) / count, (tookMs * 1000) / count];
}

/** Items that are made for a reader that has taken one and waits. */
async function ahead({ dispatcher }: Way, window: number): Promise<number> {
  const items = dispatcher.stream('items', COUNT, { window });
  await items.next();
  let made = 0;
  // The number of items that fit, as soon as it stays the same.
  await until(async () => {
    const before = made;
    await turns(50);
    made = await dispatcher.run('made');
    return made > 1 && made === before;
  });
  await items.return?.();
  return made - 1;
}

const server = await startNatsServer();
const [once, twice] = [await startWay(server.url, false), await startWay(server.url, true)];
const ways: readonly Way[] = [
  { name: 'passed on', part: 1, ...once },
  { name: 'two streams', part: 1, ...twice },
  { name: 'two streams of half the window', part: 0.5, ...twice },
];
try {
  const rows: string[][] = [];
  for (const [task, window] of [
    ['items', 2],
    ['items', 16],
    ['items', 256],
    ['bytes', 16],
  ] as const) {
    const seen = ways.map(() => [] as number[][]);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, way] of ways.entries()) {
        const figures = await measure(way, task, window * way.part);
        // The first warms up.
        if (round > 0) seen[index]?.push(figures);
      }
    }
    for (const [index, way] of ways.entries()) {
      const column = (at: number) => three(median(seen[index]?.map((each) => each[at] ?? 0) ?? []));
      const waiting = String(await ahead(way, window * way.part));
      rows.push([`${task}, window ${window}`, way.name, column(0), column(1), waiting]);
    }
  }
  const head = ['stream', 'items are', 'processor µs', 'µs', 'made for one who waits'];
  console.log(table([head, ...rows], 2).join('\n'));
} finally {
  for (const { dispatcher, child } of [once, twice]) {
    await dispatcher.close();
    child.disconnect();
  }
  await server.close();
}
