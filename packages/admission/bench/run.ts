// The overload curve: answers in time, their 99th percentile and refusals of plain services at 1 to 8 times their capacity, with an
// admission, with a library of the framework's users, and with nothing. Writes the tables between the marks in docs/measurements.
// `--quick` only prints them, for 1 and 8 times.
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  benchFlags,
  circumstances,
  interleaved,
  median,
  nextMessage,
  percent,
  report,
  table,
} from '@ticketing/bench-kit';
import type { Flooded, FloodOrder } from './programs/flood.ts';
import type { ServiceOrder } from './programs/service.ts';

const flags = benchFlags(
  { rounds: 1, seconds: 2 },
  { quickLengths: { rounds: 1, seconds: 1 }, texts: { works: 'Works', frameworks: 'Frameworks' } },
);
const DEADLINE_MS = 1000;
const CLIENTS = 16;
const WARM_UP_S = 0.5;
/** In which the work of the load before ends. */
const PAUSE_MS = 200;
const MULTIPLES = flags.quick ? [1, 8] : [1, 2, 4, 8];
const WORKS = (flags.works?.split(',') ?? ['computing', 'waiting']) as ServiceOrder['work'][];
const FRAMEWORKS = (flags.frameworks?.split(',') ?? [
  ...['fastify', 'express', 'http'],
]) as ServiceOrder['framework'][];
const GUARDS = ['admission', 'library', 'none'] as const;
const NAMES = { fastify: 'Fastify', express: 'Express', http: '`node:http`' } as const;
const LIBRARIES = {
  fastify: '`@fastify/under-pressure`',
  express: '`toobusy-js`',
  http: '`toobusy-js`',
} as const;

/** None outlives the bench. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function start(program: string, argument = ''): ChildProcess {
  const child = fork(new URL(`programs/${program}.ts`, import.meta.url), [argument]);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

const load = start('flood');
async function flooded(order: Omit<FloodOrder, 'deadlineMs'>): Promise<Flooded> {
  load.send({ ...order, deadlineMs: DEADLINE_MS } satisfies FloodOrder);
  return nextMessage<Flooded>(load);
}

/** Starts a service and its upstream, which nothing is left of afterwards, and warms it up. */
async function withService<T>(
  order: Pick<ServiceOrder, 'framework' | 'guard' | 'work'>,
  measure: (port: number) => Promise<T>,
): Promise<T> {
  const upstream = start('upstream');
  const upstreamPort = await nextMessage<number>(upstream);
  const given: ServiceOrder = { ...order, upstreamPort, deadlineMs: DEADLINE_MS };
  const service = start('service', JSON.stringify(given));
  try {
    const port = await nextMessage<number>(service);
    await flooded({ port, clients: CLIENTS, seconds: WARM_UP_S });
    await sleep(PAUSE_MS);
    return await measure(port);
  } finally {
    service.kill('SIGKILL');
    upstream.kill('SIGKILL');
  }
}

const kinds = WORKS.flatMap((work) => FRAMEWORKS.map((framework) => ({ work, framework })));
const capacities = new Map<string, number>();
for (const kind of kinds) {
  const { perSecond } = await withService({ ...kind, guard: 'none' }, (port) =>
    flooded({ port, clients: CLIENTS, seconds: 1 }),
  );
  capacities.set(JSON.stringify(kind), perSecond);
}

const cells = kinds.flatMap((kind) =>
  MULTIPLES.flatMap((multiple) => GUARDS.map((guard) => ({ kind, multiple, guard }))),
);
const outcomes = cells.map((): Flooded[] => []);
const turns = interleaved(cells, { rounds: flags.rounds, warmUps: 0, title: 'flooding' });
for (const { item, place } of turns) {
  const { kind, guard, multiple } = item;
  const perSecond = multiple * (capacities.get(JSON.stringify(kind)) ?? Number.NaN);
  const outcome = await withService({ ...kind, guard }, (port) =>
    flooded({ port, perSecond, seconds: flags.seconds }),
  );
  outcomes[place]?.push(outcome);
}
load.kill();

const middle = (own: readonly Flooded[], name: keyof Flooded): number =>
  median(own.map((one) => one[name]));

function linesOf(work: ServiceOrder['work']): string[] {
  const rows = FRAMEWORKS.flatMap((framework) => {
    const capacity = capacities.get(JSON.stringify({ work, framework })) ?? Number.NaN;
    return GUARDS.map((guard) => {
      const own = MULTIPLES.map(
        (multiple) =>
          outcomes[
            cells.findIndex(
              ({ kind, ...cell }) =>
                kind.work === work &&
                kind.framework === framework &&
                cell.multiple === multiple &&
                cell.guard === guard,
            )
          ] ?? [],
      );
      const most = own.at(-1) ?? [];
      const means = { admission: 'admission', library: LIBRARIES[framework], none: 'nothing' };
      return [
        `${NAMES[framework]}, ${means[guard]}`,
        capacity.toFixed(0),
        ...own.map((some) => middle(some, 'perSecond').toFixed(0)),
        own.map((some) => milliseconds(middle(some, 'p99Ms'))).join(', '),
        own.map((some) => percent(middle(some, 'refused'))).join(', '),
        milliseconds(middle(most, 'refusedP50Ms')),
      ];
    });
  });
  const heads = ['capacity, /s', ...MULTIPLES.map((multiple) => `${multiple}x`)];
  return [
    `### ${TITLES[work]}`,
    '',
    ...table([
      ['', ...heads, 'p99 of the answers, ms', 'refused', 'a refusal at the last, ms'],
      ...rows,
    ]),
    '',
  ];
}

function milliseconds(ms: number): string {
  return Number.isFinite(ms) ? ms.toFixed(ms < 10 ? 1 : 0) : '-';
}

const TITLES = {
  computing: 'Work that computes for 5 ms',
  waiting: 'Work that waits for an upstream, which answers 10 at a time, each after 50 ms',
} as const;
report(
  new URL('../../../docs/measurements/admission.md', import.meta.url),
  [
    ...WORKS.flatMap(linesOf),
    `${circumstances('pnpm --filter @ticketing/admission bench', flags)} Answers with 200 within ${DEADLINE_MS} ms of the time at which they were due, per second, at multiples of`,
    `what ${CLIENTS} waiting clients get from the service with nothing. Service, upstream and load are processes of their own that share the cores.`,
  ],
  { quick: flags.quick },
);
process.exit();
