import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, testProgram, until } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { serveDemoBy, setPlan, statsOf } from '../demo.ts';
import { readEvents } from '../read-events.ts';

const nginx = testProgram({
  programs: ['nginx'],
  programVariable: 'NGINX_BIN',
  install: 'nginx-light',
});

/** Settings of the guide. */
const guide = readFileSync(new URL('../../../../docs/guides/nginx.md', import.meta.url), 'utf8');
const settings = guide.split('```nginx title=cache.conf\n')[1]?.split('```')[0] ?? '';

/** Started by root its processes are another user, who may not read a test's folder. */
const asRoot = process.getuid?.() === 0 ? 'user root;' : '';

/** Starts nginx with the guide's settings before a server. Returns its address. */
async function startCache(server: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-cache-'));
  const port = await freePort();
  const own = settings
    .replaceAll('127.0.0.1:3507', new URL(server).host)
    .replaceAll('127.0.0.1:3508', `127.0.0.1:${port}`);
  expect(own).toContain(`listen 127.0.0.1:${port};`);
  writeFileSync(join(folder, 'cache.conf'), own);
  const child = spawn(
    nginx ?? '',
    ['-p', folder, '-c', join(folder, 'cache.conf'), '-g', `daemon off; ${asRoot}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isUp, 'nginx, which answers');
  return url;
}

const dayIn = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const searchOn = (date: string): string =>
  `/search?origin=Atocha&destination=Barcelona&date=${date}`;

async function cached(...argv: string[]) {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const demo = await serveDemoBy(now, '--latency', '0', '--host', '127.0.0.1', ...argv);
  const url = await startCache(demo.url);
  /** Searches that came to the server. */
  const searches = async (): Promise<number> => {
    const [{ routes }] = await statsOf(demo);
    const own = routes.filter(({ route }: { route: string }) => route === '/search');
    return own.reduce(
      (sum: number, { latency }: { latency: { counts: number[] } }) =>
        sum + latency.counts.reduce((all, one) => all + one),
      0,
    );
  };
  const ask = async (path: string) => {
    const response = await fetch(url + path);
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as they are
    const body = (await response.json()) as any;
    return {
      status: response.status,
      cache: response.headers.get('x-cache'),
      control: response.headers.get('cache-control'),
      complete: body.complete,
      fetchedAt: body.journeys?.[0]?.offers[0]?.fetchedAt,
    };
  };
  const later = (seconds: number): void => {
    ahead += seconds * 1000;
  };
  return { ...demo, cache: url, searches, ask, later };
}

test.skipIf(nginx === undefined)(
  'nginx answers complete searches from its cache, one request of a herd reaches the server, and partial ones are never kept',
  async () => {
    const { ask, searches, carriersUrl, cache } = await cached('--http-cache', '60:300');
    const path = searchOn(dayIn(5));
    const herd = await Promise.all(Array.from({ length: 20 }, () => ask(path)));
    expect(herd.map(({ status, complete }) => [status, complete])).toEqual(
      herd.map(() => [200, true]),
    );
    expect(herd.map((one) => one.cache).sort()).toEqual([...Array(19).fill('HIT'), 'MISS']);
    for (let count = 0; count < 30; count += 1) {
      expect(await ask(path)).toMatchObject({ cache: 'HIT', complete: true, control: 'no-cache' });
    }
    expect(await searches()).toBe(1);
    // In another encoding it is another answer.
    const plain = await fetch(cache + path, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('x-cache'), plain.headers.get('content-encoding')]).toEqual([
      'MISS',
      null,
    ]);
    expect(await plain.json()).toMatchObject({ complete: true });

    await setPlan(carriersUrl, 'ouigo', { fault: { kind: 'error', share: 1 } });
    const other = searchOn(dayIn(6));
    for (let count = 0; count < 3; count += 1) {
      expect(await ask(other)).toMatchObject({ cache: 'MISS', complete: false, status: 200 });
    }
    for (let count = 0; count < 2; count += 1) {
      const { last } = await readEvents(cache + path);
      expect(last).toMatchObject({ type: 'search-done', complete: false });
      expect(await ask(`${path}&fresh=1`)).toMatchObject({ cache: 'MISS', complete: false });
      expect(await ask('/search?origin=Atocha&destination=Nowhere')).toMatchObject({
        cache: 'MISS',
        status: 400,
      });
    }
    // The old answer is whole, and young enough.
    expect(await ask(path)).toMatchObject({ cache: 'HIT', complete: true });
    await setPlan(carriersUrl, 'ouigo', { fault: null });
  },
  60_000,
);

test.skipIf(nginx === undefined)(
  'a stale answer comes from the cache at once while one request renews it',
  async () => {
    const { ask } = await cached('--http-cache', '1:300');
    const path = searchOn(dayIn(5));
    const { fetchedAt } = await ask(path);
    await until(async () => {
      const answer = await ask(path);
      if (answer.cache === 'STALE' || answer.cache === 'UPDATING') {
        expect(answer).toMatchObject({ fetchedAt, complete: true });
        return true;
      }
      expect(answer.cache).toBe('HIT');
      return false;
    }, 'an answer that is stale');
    await until(async () => (await ask(path)).fetchedAt > fetchedAt, 'an answer that is new');
  },
  60_000,
);

test.skipIf(nginx === undefined)(
  'an answer that the server had kept for a while is kept by nginx for what is left of its time',
  async () => {
    const { ask, get, later } = await cached('--keep', '60:600', '--http-cache', '60:300');
    const path = searchOn(dayIn(5));
    await get(path);
    later(52);
    // nginx does not subtract the age: by `max-age` alone it would keep this for a minute.
    await until(
      async () => {
        const { cache, complete } = await ask(path);
        expect(complete).toBe(true);
        return cache === 'STALE' || cache === 'UPDATING' || cache === 'EXPIRED';
      },
      'an answer whose time is over',
      40_000,
    );
  },
  60_000,
);
