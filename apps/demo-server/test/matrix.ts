import type { Journey } from '@ticketing/core';
import { lives } from '@ticketing/test-kit';
import { beforeAll, expect, test } from 'vitest';
import { type DispatchName, dispatchKind } from '../src/flags/dispatch-kinds.ts';
import { type Accept, COALESCES, type Coalesce, type Flags } from '../src/flags/flag-specs.ts';
import { eventually, getFrom, MADRID_BARCELONA, sharedServerBy, startDemo } from './demo.ts';
import { expectEqualCounts } from './equal-counts.ts';
import { hasNats, newFleet, sharedNats, testedDispatches } from './fleet.ts';
import { pidsOf } from './processes.ts';
import { hasRedis, sharedRedis } from './redis.ts';

// A day on which the simulator's timetable does not change while the tests run, however late they do.
const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const PATH = `${MADRID_BARCELONA}&date=${day}`;

function start(
  { accept, dispatch, coalesce, offload }: Omit<Combination, 'kills'>,
  { natsUrl, redisUrl }: { readonly natsUrl: string; readonly redisUrl: string },
) {
  const several = accept === 'single' ? [] : ['--workers', '2'];
  const { workers, inServers, inFleet } = dispatchKind(dispatch);
  const own = workers !== undefined && !inServers ? ['--dispatch-workers', '1'] : [];
  const fleet =
    coalesce === 'fleet' && !inFleet ? ['--nats-url', natsUrl, '--fleet', newFleet()] : [];
  return startDemo([
    ...['--accept', accept, '--dispatch', dispatch, '--coalesce', coalesce, ...several, ...own],
    ...['--latency', '0', '--offload', offload, ...fleet],
    ...(coalesce === 'shared' ? ['--redis-url', redisUrl] : []),
  ]);
}

/** The journeys without the time at which a carrier's bytes came. A client that meets a process' death asks again. */
async function journeysOf(url: string): Promise<readonly Journey[]> {
  const { status, body } = await eventually(async () => {
    const answer = await getFrom(url + PATH, { signal: AbortSignal.timeout(5000) });
    expect(answer.status).toBe(200);
    return answer;
  });
  expect([status, body.complete]).toEqual([200, true]);
  return JSON.parse(JSON.stringify(body.journeys), (name, value) =>
    name === 'fetchedAt' ? undefined : value,
  );
}

/** Searches that are answered by `askInSeveralWays`. */
const WAYS = 7;

/** The same question by several clients at once, and as a stream; another one; and one that is refused. */
async function askInSeveralWays(url: string): Promise<void> {
  const ask = async (path: string, accept = 'application/json'): Promise<number> => {
    const answer = await getFrom(url + path, { headers: { accept, connection: 'close' } });
    return answer.status;
  };
  const same = Array.from({ length: 4 }, () => ask(PATH));
  const streams = [ask(PATH, 'application/x-ndjson'), ask(PATH, 'application/x-ndjson')];
  const other = ask(`/search?origin=Madrid&destination=Sevilla&date=${day}`);
  expect(await Promise.all([...same, ...streams, other])).toEqual(new Array(WAYS).fill(200));
  expect(await ask('/search?origin=Madrid')).toBe(400);
}

/** Asks what the search itself refuses, wherever it runs: a load that fails. */
async function askWrongly(url: string): Promise<void> {
  for (const wrong of ['&destination=madrid', '&destination=Sevilla&date=2020-02-29']) {
    const { status } = await getFrom(`${url}/search?origin=Madrid${wrong}`);
    expect(status, wrong).toBe(400);
  }
}

/** What `/config` says of the processes. Asks again as `journeysOf` does. */
function configOf(url: string) {
  return eventually(async () => {
    const answer = await getFrom(`${url}/config`, { signal: AbortSignal.timeout(5000) });
    expect(answer.status).toBe(200);
    return answer.body;
  });
}

const ROLES = ['server', 'task', 'host'] as const;
type Role = (typeof ROLES)[number];

/** A combination of flags, and the processes whose deaths its answers survive. */
export interface Combination {
  readonly accept: Accept;
  readonly dispatch: DispatchName;
  readonly coalesce: Coalesce;
  readonly offload: Flags['offload'];
  readonly kills: readonly Role[];
}

/** Proves that each combination gives the same answers, also after its kills, and leaves nothing behind. */
export function testCombinations(combinations: readonly Combination[]): void {
  let expected: readonly Journey[] = [];
  const needs = (coalesce: Coalesce): boolean =>
    combinations.some((each) => each.coalesce === coalesce);
  const nats = needs('fleet') ? sharedNats() : () => undefined;
  const redis = needs('shared') ? sharedRedis() : () => undefined;

  const alone = sharedServerBy(
    Date.now,
    ...['--latency', '0', '--coalesce', 'off', '--deadline-ms', '20000'],
  );
  beforeAll(async () => {
    expected = await journeysOf(alone().url);
  });

  test.each(combinations)(
    '--accept $accept --dispatch $dispatch --coalesce $coalesce --offload $offload: equal counts; the same journeys, after the kills of $kills too, and nothing is left',
    async ({ kills, ...flags }) => {
      const { accept } = flags;
      const demo = await start(flags, { natsUrl: nats()?.url ?? '', redisUrl: redis()?.url ?? '' });
      expect(expected.length).toBeGreaterThanOrEqual(20);
      expect(await journeysOf(demo.url)).toEqual(expected);
      await askInSeveralWays(demo.url);
      await expectEqualCounts(demo, 1 + WAYS);
      await askWrongly(demo.url);
      const { body: some } = await getFrom(`${demo.url}${PATH}&carriers=avlo`);
      expect(some.carriers).toMatchObject([{ carrier: 'avlo', state: 'ok' }]);
      const all = new Set<number>();
      for (const role of kills) {
        // With a process that serves those that run its tasks are gone as well, until it has a successor.
        const victim = await eventually(async () => {
          const config = await configOf(demo.url);
          for (const each of ROLES) for (const pid of pidsOf(config, each)) all.add(pid);
          const living = pidsOf(config, role).find(lives);
          expect(living, `a process for the role ${role}`).toBeDefined();
          return Number(living);
        });
        process.kill(victim, 'SIGKILL');
        expect(await journeysOf(demo.url)).toEqual(expected);
      }
      const after = await eventually(async () => {
        const config = await configOf(demo.url);
        expect(pidsOf(config, 'server')).toHaveLength(accept === 'single' ? 1 : 2);
        return config;
      });
      demo.child.kill('SIGTERM');
      expect(await demo.exit()).toBe(0);
      for (const each of ROLES) for (const pid of pidsOf(after, each)) all.add(pid);
      expect([...all].filter(lives)).toEqual([]);
    },
  );
}

function isTested(name: Coalesce): boolean {
  return (hasNats || name !== 'fleet') && (hasRedis || name !== 'shared');
}

/**
 * Every way to dispatch and coalesce in one machine, with one way to accept; and those over machines with workers of one kind
 * and without any, since what machines share does not depend on the kind.
 */
export function everyCombination(accept: Accept): Combination[] {
  return testedDispatches.flatMap((dispatch) => {
    const { inFleet, inServers, workers } = dispatchKind(dispatch);
    // Threads are no processes, and server processes that run tasks are killed as such.
    const hasTaskWorkers = workers === 'processes' && (accept === 'single' || inServers !== true);
    const kills: readonly Role[] = [
      ...(accept === 'single' ? [] : (['server'] as const)),
      ...(inFleet ? (['host'] as const) : hasTaskWorkers ? (['task'] as const) : []),
    ];
    const isChosen = (coalesce: Coalesce): boolean => {
      if (inFleet) return coalesce === 'on' || coalesce === 'fleet';
      const overMachines = coalesce === 'fleet' || coalesce === 'shared';
      return !overMachines || inServers === true || workers === undefined;
    };
    return COALESCES.filter((coalesce) => isTested(coalesce) && isChosen(coalesce)).map(
      (coalesce) => ({ ...{ accept, dispatch, coalesce, offload: 'whole', kills } }),
    );
  });
}
