import { expect } from 'vitest';
import { carriersBehindGate } from '../carriers-behind-gate.ts';
import { eventually, MADRID_BARCELONA, serveDemo, serveDemoBy, statsOf } from '../demo.ts';
import { sharedRedis, testWithRedis } from '../redis.ts';
import { samples, sumOf } from '../series.ts';

const redis = sharedRedis();

testWithRedis(
  'two servers with one Redis: equal searches are one upstream, counted by each',
  async () => {
    const { url, open, sim } = await carriersBehindGate();
    const flags = ['--carriers-url', url, '--deadline-ms', '60000', '--coalesce', 'shared'];
    // Equal answers to equal searches: their pages, too, are those of either server.
    const shared = ['--redis-url', redis().url, '--page-key', 'of both these servers'];
    // However busy the machine is: a server that does not reach Redis in time would search by itself.
    const patient = ['--redis-timeout-ms', '60000'];
    const servers = [
      await serveDemoBy(Date.now, ...flags, ...shared, ...patient),
      await serveDemoBy(Date.now, ...flags, ...shared, ...patient),
    ];
    const asked = servers.flatMap(({ get }) => [get(MADRID_BARCELONA), get(MADRID_BARCELONA)]);
    const loadsOf = async (server: (typeof servers)[number]) => (await statsOf(server))[0].shared;
    await eventually(async () => {
      const all = (await Promise.all(servers.map(loadsOf))).map(({ coordinator }) => coordinator);
      expect(all.map(({ held }) => held).sort()).toEqual([0, 1]);
      // Who waits looks again twice a second.
      expect(all.filter(({ waits }) => waits > 0)).toHaveLength(1);
    });
    open();
    const answers = await Promise.all(asked);
    const all = await Promise.all(servers.map(loadsOf));
    expect(all.map(({ coordinator }) => coordinator.unreached)).toEqual([0, 0]);
    expect(
      new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size,
    ).toBe(1);
    expect(sim.requests()).toMatchObject({ renfe: { arrived: 4 }, ouigo: { arrived: 2 } });
    expect(all.map(({ loads }) => loads.search.led).sort()).toEqual([0, 1]);
    const follower = servers[all.findIndex(({ loads }) => loads.search.followed === 1)];
    const { body: view } = (await follower?.get('/operator/state')) ?? {};
    expect(view.coalesce).toContainEqual(
      expect.objectContaining({ name: 'search', scope: 'shared', asked: 1, led: 0, joined: 1 }),
    );
    expect(view.modes.coalesce).toBe('shared');
    const { body: text } = (await follower?.get('/metrics')) ?? {};
    const labels = { name: 'search', scope: 'shared', outcome: 'joined' };
    expect(sumOf(samples(text), 'ticketing_coalescer_calls_total', labels)).toBe(1);
  },
);

testWithRedis(
  'Redis is not there: the server starts and answers, and says so; no password is shown',
  async () => {
    const { get } = await serveDemo(
      ...['--coalesce', 'shared', '--latency', '0', '--redis-url', 'redis://me:s3cret@127.0.0.1:1'],
    );
    for (const passengers of ['1', '2', '3', '4']) {
      const { status, body } = await get(`${MADRID_BARCELONA}&passengers=${passengers}`);
      expect([status, body.complete]).toEqual([200, true]);
    }
    const [stats] = await statsOf({ get });
    expect(stats.shared).toMatchObject({
      // Whether it counts as down depends on how soon after each other these failed.
      coordinator: { unreached: 4 },
      loads: { search: { local: 4, led: 0 } },
    });
    for (const path of ['/stats', '/config', '/operator/state']) {
      expect(JSON.stringify((await get(path)).body)).not.toContain('s3cret');
    }
  },
);

testWithRedis(
  'with --keep a second server answers from what the first has kept, with its age, for what is left of its time',
  async () => {
    const { url, open, sim } = await carriersBehindGate();
    open();
    let ahead = 0;
    const now = (): number => Date.now() + ahead;
    const flags = ['--carriers-url', url, '--coalesce', 'shared', '--keep', '60:600'];
    const shared = ['--redis-url', redis().url, '--redis-timeout-ms', '60000'];
    const [first, second] = [
      await serveDemoBy(now, ...flags, ...shared),
      await serveDemoBy(now, ...flags, ...shared),
    ];
    const path = `${MADRID_BARCELONA}&date=${new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)}`;
    const asked = () =>
      Object.values(sim.requests()).reduce((sum, { arrived }) => sum + arrived, 0);
    const ask = async ({ get }: typeof first, more = '') => {
      const { body, headers } = await get(`${path}${more}`);
      const caches = body.carriers.map(({ cache }: { cache?: string }) => cache);
      return {
        caches,
        complete: body.complete,
        age: Math.floor(Number(headers.get('age')) / 10),
        journeys: body.journeys.length,
      };
    };
    const one = await ask(first);
    expect(one).toMatchObject({ complete: true, caches: [undefined, undefined, undefined] });
    const loads = asked();
    ahead += 20_000;
    const other = await ask(second, '&order=price');
    expect(other).toEqual({ ...one, age: 2, caches: ['fresh', 'fresh', 'fresh'] });
    expect(asked()).toBe(loads);
    const [stats] = await statsOf(second);
    expect(stats.shared.loads.carriers).toMatchObject({ asked: 3, led: 0, local: 0 });
    // Asked anew by the second server, the answer is new for the first one's successors, too.
    expect(await ask(second, '&fresh=1')).toMatchObject({
      age: 0,
      caches: [undefined, undefined, undefined],
    });
    expect(asked()).toBeGreaterThan(loads);
    const third = await serveDemoBy(now, ...flags, ...shared);
    const again = asked();
    expect(await ask(third)).toMatchObject({ age: 0, caches: ['fresh', 'fresh', 'fresh'] });
    expect(asked()).toBe(again);
  },
);

testWithRedis('with --keep and without Redis each server keeps its own', async () => {
  const servers = ['1', '2'].map(() =>
    serveDemo(
      ...['--coalesce', 'shared', '--latency', '0', '--redis-url', 'redis://127.0.0.1:1'],
      ...['--keep', '60:600'],
    ),
  );
  for (const { get } of await Promise.all(servers)) {
    await get(MADRID_BARCELONA);
    const { body } = await get(MADRID_BARCELONA);
    expect(body.carriers).toMatchObject([
      { cache: 'fresh' },
      { cache: 'fresh' },
      { cache: 'fresh' },
    ]);
    expect((await get(`${MADRID_BARCELONA}&fresh=1`)).body.complete).toBe(true);
  }
});
