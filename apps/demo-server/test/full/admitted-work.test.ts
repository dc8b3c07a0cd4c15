import { expect, test, vi } from 'vitest';
import { routeFunction } from '../../src/answers/route-function.ts';
import {
  ALWAYS,
  admittingServer,
  flags,
  STEPS_PER_BYTE,
  tooExpensive,
} from '../admitted-work-cases.ts';
import { hostileRequests } from '../hostile-requests.ts';

// A guard alone: code whose steps are counted runs slowly, and this is most of the demo's.
vi.setConfig({ testTimeout: 240_000 });

/** Steps that a byte of a station's text may take: it is folded, and compared with words. */
const STEPS_TO_FOLD = 10;

const server = admittingServer();

test('a request that is refused has cost next to nothing, whatever is in it [admitted-work]', async () => {
  server().gate.decide = (applicant) => applicant.refuse('busy');
  expect(await tooExpensive(server(), (id) => !ALWAYS.includes(id))).toEqual([]);
});

test('no route that is always answered can be made expensive by what a client sends [admitted-work]', async () => {
  server().gate.decide = (applicant) => applicant.refuse('busy');
  const isEndless = (id: string): boolean => id === 'followOperatorState';
  const isAsked = (id: string): boolean => ALWAYS.includes(id) && !isEndless(id);
  expect(await tooExpensive(server(), isAsked)).toEqual([]);
});

test('the router chooses by any target in next to no time [admitted-work]', async () => {
  const { steps, document } = server();
  const route = routeFunction(flags);
  const requests = hostileRequests(document);
  const stepsOf = (target: string): Promise<number> => {
    route?.({ kind: 'http1', remoteAddress: undefined, target } as never);
    return steps.count();
  };
  const usual = '/search?origin=Madrid&destination=Barcelona';
  await stepsOf(usual);
  const usually = await stepsOf(usual);
  for (const { name, target } of requests) {
    const taken = await stepsOf(target);
    expect(taken, name).toBeLessThan(2 * usually + STEPS_TO_FOLD * target.length);
  }
});

test('an admitted request takes no more steps than fifteen searches, whatever is in it', async () => {
  server().gate.decide = (applicant) => applicant.begin();
  const { steps, app, document } = server();
  const stepsOf = async (url: string, headers = {}): Promise<number> => {
    await app.inject({ url, headers: { host: 'localhost', ...headers } });
    return steps.count();
  };
  // What all stations are found by is made once.
  for (const text of ['mad', 'madird', 'MAD']) {
    await stepsOf(`/stations?text=${text}`);
    await stepsOf(`/search?origin=${text}&destination=Barcelona`);
  }
  const usual = '/search?origin=Madrid&destination=Barcelona';
  await stepsOf(usual);
  const search = await stepsOf(usual);
  const slow: string[] = [];
  for (const { name, target, headers = {} } of hostileRequests(document)) {
    if (ALWAYS.includes(name.split(' ')[0] ?? '') || target.startsWith('/compute')) continue;
    const bytes = target.length + Object.values(headers).join('').length;
    const taken = await stepsOf(target, headers);
    if (taken > 15 * search + STEPS_PER_BYTE * bytes)
      slow.push(`${name}: ${taken} steps, and ${search} for a search`);
  }
  expect(slow).toEqual([]);
});
