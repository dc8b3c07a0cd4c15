import { expect, test } from 'vitest';
import { carriersBehindGate } from './carriers-behind-gate.ts';
import {
  eventually,
  MADRID_BARCELONA,
  requestsAt,
  serveDemo,
  serveDemoBy,
  setPlan,
  statsOf,
} from './demo.ts';

const REVERSED = '/search?destination=uic:7171801&passengers=1&origin=7160000&order=departure';

test('300 equal searches at once are one search upstream, with one body that is compressed once', async () => {
  const { url, open, sim } = await carriersBehindGate();
  const flags = ['--carriers-url', url, '--deadline-ms', '60000'];
  const { get } = await serveDemoBy(Date.now, ...flags);
  const paths = Array.from({ length: 300 }, (_, index) =>
    index % 2 ? MADRID_BARCELONA : REVERSED,
  );
  const asked = paths.map((path) => get(path));
  await eventually(async () =>
    expect((await statsOf({ get }))[0].coalesce).toMatchObject({ joined: 299 }),
  );
  open();
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(answers[0]?.body.complete).toBe(true);
  expect(sim.requests()).toMatchObject({
    renfe: { arrived: 4 },
    ouigo: { arrived: 2 },
    avlo: { arrived: 2 },
  });
  const [stats] = await statsOf({ get });
  expect(stats.coalesce).toMatchObject({ asked: 300, loaded: 1, joined: 299, inFlight: 0 });
  // `fetch` accepts gzip.
  expect(stats.encoding).toMatchObject({ asked: 300, compressed: 1 });
});

test('searches that differ are not one', async () => {
  const { get } = await serveDemo('--latency', '20');
  const others = ['&passengers=2', '&order=price', '&date=2026-12-02', '&carriers=avlo', ''];
  await Promise.all(others.map((other) => get(MADRID_BARCELONA + other)));
  expect((await statsOf({ get }))[0].coalesce).toMatchObject({ asked: 5, loaded: 5 });
});

test('--coalesce off asks every time', async () => {
  const { get, carriersUrl } = await serveDemo('--coalesce', 'off', '--latency', '20');
  await Promise.all([1, 2, 3].map(() => get(MADRID_BARCELONA)));
  expect(await requestsAt(carriersUrl)).toMatchObject({ renfe: { arrived: 12 } });
  expect((await statsOf({ get }))[0]).not.toHaveProperty('coalesce');
});

test('one of two equal clients leaves: the other gets its answer; both leave: the search is aborted', async () => {
  const { get, url, carriersUrl } = await serveDemo('--deadline-ms', '60000', '--latency', '200');
  const controller = new AbortController();
  const { signal } = controller;
  const left = fetch(url + MADRID_BARCELONA, { signal }).catch(() => 'left');
  const stays = get(MADRID_BARCELONA);
  await eventually(async () =>
    expect((await statsOf({ get }))[0].coalesce).toMatchObject({ joined: 1 }),
  );
  controller.abort();
  expect(await left).toBe('left');
  expect((await stays).body.complete).toBe(true);
  expect(await requestsAt(carriersUrl)).toMatchObject({ renfe: { arrived: 4, aborted: 0 } });

  // However late the abort is, the call is still open.
  await setPlan(carriersUrl, 'renfe', { fault: { kind: 'hang' } });
  const both = new AbortController();
  const gone = [1, 2].map(() =>
    fetch(url + MADRID_BARCELONA, { signal: both.signal }).catch(() => 'left'),
  );
  await eventually(async () =>
    expect((await statsOf({ get }))[0].coalesce).toMatchObject({ joined: 2 }),
  );
  await eventually(async () =>
    expect(await requestsAt(carriersUrl)).toMatchObject({ renfe: { open: 1 } }),
  );
  both.abort();
  await Promise.all(gone);
  await eventually(async () =>
    expect((await statsOf({ get }))[0].coalesce).toMatchObject({ left: 3, aborted: 1 }),
  );
  await eventually(async () =>
    expect(await requestsAt(carriersUrl)).toMatchObject({ renfe: { aborted: 1, open: 0 } }),
  );
});
