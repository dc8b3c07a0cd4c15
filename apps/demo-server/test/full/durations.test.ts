import { expect, test } from 'vitest';
import { eventually, MADRID_BARCELONA, serveDemo, setPlan, statsOf } from '../demo.ts';

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

interface Row {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly latency: { readonly counts: readonly number[]; readonly sumMs: number };
}

test('/stats counts the answers of each route by method and status, and how long they took', async () => {
  const { url, get, carriersUrl } = await serveDemo('--latency', '0', '--coalesce', 'off');
  const rows = async (): Promise<readonly Row[]> => (await statsOf({ get }))[0].routes;
  const counted = async () =>
    Object.fromEntries(
      (await rows()).map(({ method, route, status, latency }) => [
        `${method} ${route} ${status}`,
        sum(latency.counts),
      ]),
    );
  await get(MADRID_BARCELONA);
  await get(MADRID_BARCELONA, { headers: { accept: 'application/x-ndjson' } });
  await fetch(url + MADRID_BARCELONA, { method: 'HEAD' });
  await get('/search?origin=Madrid');
  await get('/compute?ms=1');
  await get('/nowhere');
  await get('/nowhere-else', { method: 'PROPFIND' });
  await get('/search', { method: 'POST' });
  // An answer is counted once the system has it, which may be after its client has.
  await eventually(async () =>
    expect(await counted()).toMatchObject({
      'GET /search 200': 2,
      'HEAD /search 200': 1,
      'GET /search 400': 1,
      'GET /compute 200': 1,
      'GET unmatched 404': 1,
      '_OTHER unmatched 404': 1,
      'POST unmatched 405': 1,
    }),
  );
  const before = await rows();
  await setPlan(carriersUrl, 'renfe', { latency: { kind: 'fixed', ms: 300 } });
  await get(MADRID_BARCELONA);
  await eventually(async () => {
    const found = (await rows()).find(({ route, status }) => route === '/search' && status === 200);
    const earlier = before.find(({ route, status }) => route === '/search' && status === 200);
    const more = found?.latency.counts.map(
      (count, at) => count - (earlier?.latency.counts[at] ?? 0),
    );
    // 300 ms and more: above the first eight bounds or so, however busy the machine is.
    expect(sum(more ?? [])).toBe(1);
    expect(sum(more?.slice(0, 7) ?? [])).toBe(0);
  });
});
