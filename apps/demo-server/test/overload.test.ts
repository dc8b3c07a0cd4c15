import { expect, test } from 'vitest';
import { MADRID_BARCELONA, requestsAt, serveDemo } from './demo.ts';
import { admissionOf, ask, hang, testLimit, until } from './overload-cases.ts';

/** What Avlo is asked by one search. */
const AVLO_CALLS = 2;

testLimit('single');

test('a request whose client leaves while it waits is never begun', async () => {
  const { get, url, carriersUrl } = await serveDemo('--max-in-flight', '1', '--coalesce', 'off');
  await hang(carriersUrl);
  const first = ask(url);
  await until(get, { inFlight: 1 });
  const second = ask(url);
  await until(get, { waiting: 1 });
  second.leave();
  await until(get, { inFlight: 1, waiting: 0, left: 1 });
  first.leave();
  await until(get, { inFlight: 0 });
  expect((await requestsAt(carriersUrl))['avlo']?.arrived).toBe(AVLO_CALLS);
});

test('joining a search in flight takes no place, and equal ones that wait are one', async () => {
  const { get, url, carriersUrl } = await serveDemo('--max-in-flight', '1');
  await hang(carriersUrl);
  const [first, ...joined] = [ask(url), ...[1, 2, 3].map(() => ask(url))];
  await until(get, { inFlight: 1, waiting: 0, joined: 3 });
  const others = [1, 2].map(() => ask(url, `${MADRID_BARCELONA}&passengers=2`));
  const stream = ask(url, MADRID_BARCELONA, { accept: 'application/x-ndjson' });
  // A stream joins streams alone; equal searches share one place in the queue.
  await until(get, { inFlight: 1, waiting: 2, joined: 3 });
  for (const { leave } of [...joined, ...others, stream]) leave();
  await until(get, { inFlight: 1, waiting: 0 });
  first.leave();
  await until(get, { inFlight: 0 });
});

test('--max-in-flight off refuses nobody', async () => {
  const { get } = await serveDemo('--max-in-flight', 'off');
  const answers = await Promise.all(Array.from({ length: 50 }, () => get('/compute?ms=1')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await admissionOf(get)).toMatchObject({
    limit: null,
    admitted: 50,
    refused: { busy: 0, late: 0 },
  });
});
