import { expect, test } from 'vitest';
import { getFrom, requestsAt, startDemo } from '../demo.ts';

test('--accept cluster --coalesce machine: what one server process keeps answers the clients of all', async () => {
  const { url, carriersUrl } = await startDemo([
    ...['--accept', 'cluster', '--workers', '2', '--coalesce', 'machine', '--keep', '600:600'],
    ...['--latency', '0', '--deadline-ms', '20000'],
  ]);
  const date = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const path = `/search?origin=Atocha&destination=Barcelona&date=${date}`;
  const headers = { connection: 'close' };
  await getFrom(url + path, { headers });
  const arrived = async () =>
    Object.values(await requestsAt(carriersUrl)).map((one) => one.arrived);
  const asked = await arrived();
  const workers = new Set<string | null>();
  // Each on a connection of its own.
  for (let count = 0; count < 60 && (count < 10 || workers.size < 2); count += 1) {
    const { body, headers: got } = await getFrom(url + path, { headers });
    workers.add(got.get('x-worker'));
    expect(body.carriers).toMatchObject([
      { cache: 'fresh' },
      { cache: 'fresh' },
      { cache: 'fresh' },
    ]);
  }
  expect(workers.size).toBe(2);
  expect(await arrived()).toEqual(asked);
  // Asked anew, the answers are kept where the others are.
  await getFrom(`${url}${path}&fresh=1`, { headers });
  const { body } = await getFrom(url + path, { headers });
  for (const { ageMs } of body.carriers) expect(ageMs).toBeLessThan(20_000);
  const keeping = (await getFrom(`${url}/stats`)).body.processes.filter(
    ({ kept }: { kept?: { kept: number } }) => (kept?.kept ?? 0) > 0,
  );
  expect(keeping).toHaveLength(1);
}, 120_000);
