import { expect, test } from 'vitest';
import { eventually, MADRID_BARCELONA, requestsAt, serveDemo, setPlan, statsOf } from './demo.ts';

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
