import type { Journey } from '@ticketing/core';
import { lives } from '@ticketing/dispatch/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import { type Accept, COALESCES, DISPATCH_NAMES } from '../src/flags/flags.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { serve } from '../src/serve.ts';
import { getFrom, MADRID_BARCELONA, startDemo } from './demo.ts';
import { pidsOf } from './processes.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

// A day on which the simulator's timetable does not change while the tests run, however late they do.
const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const PATH = `${MADRID_BARCELONA}&date=${day}`;

function start(accept: Accept, dispatch: string, coalesce: string) {
  const several = accept === 'single' ? [] : ['--workers', '2'];
  const own = dispatch === 'fork' || dispatch === 'piscina' ? ['--dispatch-workers', '1'] : [];
  return startDemo([
    ...['--accept', accept, '--dispatch', dispatch, '--coalesce', coalesce, ...several, ...own],
    ...['--latency', '0'],
  ]);
}

/** The journeys without the time at which a carrier's bytes came. A client that meets a process' death asks again. */
async function journeysOf(url: string): Promise<readonly Journey[]> {
  const { status, body } = await vi.waitFor(async () => {
    const answer = await getFrom(url + PATH, { signal: AbortSignal.timeout(5000) });
    expect(answer.status).toBe(200);
    return answer;
  }, 20_000);
  expect([status, body.complete]).toEqual([200, true]);
  return JSON.parse(JSON.stringify(body.journeys), (name, value) =>
    name === 'fetchedAt' ? undefined : value,
  );
}

/** What `/config` says of the processes. Asks again as `journeysOf` does. */
function configOf(url: string) {
  return vi.waitFor(async () => {
    const answer = await getFrom(`${url}/config`, { signal: AbortSignal.timeout(5000) });
    expect(answer.status).toBe(200);
    return answer.body;
  }, 20_000);
}

/** Proves that every way to dispatch and coalesce gives the same answers with one way to accept. */
export function testCombinations(accept: Accept): void {
  let expected: readonly Journey[] = [];

  beforeAll(async () => {
    const { flags } = readFlags(['--port', '0', '--latency', '0', '--coalesce', 'off'], {});
    const server = await serve(flags);
    expected = await journeysOf(server.url);
    await server.close();
  });

  test.each(
    DISPATCH_NAMES.flatMap((dispatch) => COALESCES.map((coalesce) => [dispatch, coalesce])),
  )(
    `--accept ${accept} --dispatch %s --coalesce %s: the same journeys, after kills too, and nothing is left`,
    async (dispatch, coalesce) => {
      const demo = await start(accept, dispatch, coalesce);
      expect(expected.length).toBeGreaterThanOrEqual(20);
      expect(await journeysOf(demo.url)).toEqual(expected);
      const all = new Set<number>();
      for (const role of accept === 'single' ? ['task'] : ['server', 'task']) {
        const config = await configOf(demo.url);
        for (const each of ['server', 'task']) for (const pid of pidsOf(config, each)) all.add(pid);
        // With a process that serves those that run its tasks are gone as well.
        const victim = pidsOf(config, role).find(lives);
        if (victim === undefined) continue;
        process.kill(victim, 'SIGKILL');
        expect(await journeysOf(demo.url)).toEqual(expected);
      }
      const after = await vi.waitFor(async () => {
        const config = await configOf(demo.url);
        expect(pidsOf(config, 'server')).toHaveLength(accept === 'single' ? 1 : 2);
        return config;
      }, 20_000);
      demo.child.kill('SIGTERM');
      expect(await demo.exit()).toBe(0);
      for (const each of ['server', 'task']) for (const pid of pidsOf(after, each)) all.add(pid);
      expect([...all].filter(lives)).toEqual([]);
    },
  );
}
