import { testProgram, until } from '@ticketing/test-kit';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  BALANCERS,
  type BalancerName,
  type Host,
  type StubHost,
  startBalancer,
  startHost,
  startStubHost,
} from '../programs.ts';

/** Nine processes of the demo and their load share the machine. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const KEYS = 300;
const TIMES = 3;
const IN_FLIGHT = 16;
const CITIES = ['Madrid', 'Barcelona', 'Zaragoza', 'Tarragona', 'Valencia', 'Alicante'];

/** 300 searches: 30 pairs of cities on ten days from now on. */
const searches = [...Array(KEYS).keys()].map((index) => {
  const [from, to] = [Math.trunc(index / 10) % 6, 1 + (Math.trunc(index / 60) % 5)];
  const day = new Date(Date.now() + (2 + (index % 10)) * 86_400_000).toISOString().slice(0, 10);
  return `/search?origin=${CITIES[from]}&destination=${CITIES[(from + to) % 6]}&date=${day}`;
});

interface Answer {
  readonly path: string;
  readonly status: number;
  /** The process that answered. */
  readonly worker: number;
}

for (const name of Object.keys(BALANCERS) as BalancerName[]) {
  const program = testProgram(BALANCERS[name]);

  // In this order: hosts are stopped and killed, and where keys were at first is compared.
  describe.skipIf(program === undefined)(name, { shuffle: false }, () => {
    const ends: (() => Promise<void>)[] = [];
    const hosts: Host[] = [];
    /** The host of each process, told by the hosts themselves. */
    const hostOf = new Map<number, number>();
    let url: string;

    beforeAll(async () => {
      for (let index = 0; index < 3; index += 1) {
        const host = await startHost();
        hosts.push(host);
        ends.push(host.kill);
      }
      const hostPorts = hosts.map(({ port }) => port);
      const balancer = await startBalancer(name, { program: program ?? '', hostPorts });
      ends.unshift(balancer.close);
      url = balancer.url;
    });
    afterAll(async () => {
      for (const end of ends) await end();
    });

    async function knowProcesses(): Promise<void> {
      for (const [index, { port }] of hosts.entries()) {
        const { body } = await request(`http://127.0.0.1:${port}/config`, { reset: true });
        const { processes } = (await body.json()) as { processes: { pid: number }[] };
        for (const { pid } of processes) hostOf.set(pid, index);
      }
    }

    /** Connections that routers gave to another process, because the first did not take them in time. */
    async function reroutedCount(): Promise<number> {
      let count = 0;
      for (const { port } of hosts) {
        const { body } = await request(`http://127.0.0.1:${port}/stats`, { reset: true });
        const { processes } = (await body.json()) as {
          processes: { router?: { rerouted: number } }[];
        };
        for (const { router } of processes) count += router?.rerouted ?? 0;
      }
      return count;
    }

    /** Asks for each search three times, and runs `during` when a third is answered. */
    async function askAll(
      during?: () => Promise<unknown>,
      { inFlight = IN_FLIGHT }: { readonly inFlight?: number } = {},
    ): Promise<Answer[]> {
      const dispatcher = new Agent({ connections: inFlight });
      onTestFinished(() => dispatcher.close());
      const paths = [...Array(KEYS * TIMES).keys()].map((index) => searches[index % KEYS] ?? '');
      const answers: Answer[] = [];
      let begun: Promise<unknown> | undefined;
      let next = 0;
      const client = async (): Promise<void> => {
        for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
          if (answers.length >= paths.length / 3) begun ??= during?.();
          answers.push(await ask(path, dispatcher));
        }
      };
      await Promise.all(Array.from({ length: inFlight }, client));
      await begun;
      return answers;
    }

    async function ask(path: string, dispatcher: Agent): Promise<Answer> {
      const answer = await request(url + path, { dispatcher });
      await answer.body.dump();
      const worker = Number(answer.headers['x-worker'] ?? 0);
      return { path, status: answer.statusCode, worker };
    }

    const hostsByKey = (answers: readonly Answer[]): Map<string, Set<number | undefined>> =>
      grouped(answers, ({ worker }) => hostOf.get(worker));

    let homes: Map<string, Set<number | undefined>>;

    test('900 searches of 300 keys, one at a time: each key in one process', async () => {
      await knowProcesses();
      const before = await reroutedCount();
      const answers = await askAll(undefined, { inFlight: 1 });
      expect(failed(answers)).toEqual([]);
      homes = hostsByKey(answers);
      // On a busy machine a process may be too late for a connection.
      const late = (await reroutedCount()) - before;
      const several = severalOf(grouped(answers, ({ worker }) => worker));
      expect(several.slice(late)).toEqual([]);
      for (const host of hosts.keys()) expect(keysOn(homes, host)).toBeGreaterThan(KEYS / 10);
      report('keys by host', [...hosts.keys()].map((host) => keysOn(homes, host)).join(', '));
    });

    test('900 searches of 300 keys, sixteen at a time: each key on the same host', async () => {
      const answers = await askAll();
      expect(failed(answers)).toEqual([]);
      const now = hostsByKey(answers);
      expect(searches.filter((path) => !equalSets(now.get(path), homes.get(path)))).toEqual([]);
      // How many depends on how fast they come: a router sends a key elsewhere while its process has many more connections.
      const several = severalOf(grouped(answers, ({ worker }) => worker)).length;
      report('keys in two processes of their host', `${several} of ${KEYS}`);
    });

    test('a forged X-Route-Key changes nothing', async () => {
      const stubs = [await startStubHost(), await startStubHost(), await startStubHost()];
      const hostPorts = stubs.map(({ port }) => port);
      const balancer = await startBalancer(name, { program: program ?? '', hostPorts });
      onTestFinished(balancer.close);
      const [path = ''] = searches;
      for (let forged = 0; forged < 30; forged += 1) {
        const headers = { 'X-Route-Key': `forged ${forged}` };
        const { statusCode, body } = await request(balancer.url + path, { headers });
        await body.dump();
        expect(statusCode).toBe(200);
      }
      // All on one host, with the key of the search.
      const { origin, destination, date } = Object.fromEntries(new URLSearchParams(path.slice(8)));
      const key = `${origin}|${destination}|${date}`;
      const asked = stubs.filter(({ searches: count }) => count > 0);
      expect(asked.map(({ routeKeys }) => routeKeys)).toEqual([Array(30).fill(key)]);
    });

    test('a host stops under load: no error, only its keys move, and come back with it', async () => {
      const during = await askAll(() => hosts[1]?.stop() ?? Promise.reject(new Error('no host')));
      expect(failed(during)).toEqual([]);
      await expectMoved(1);
      await hosts[1]?.start();
      await knowProcesses();
      await until(async () => {
        const now = hostsByKey(await askAll());
        return searches.every((path) => equalSets(now.get(path), homes.get(path)));
      }, 'keys on their old hosts');
    });

    test('a host is killed under load: no error, and only its keys move', async () => {
      const during = await askAll(() => hosts[2]?.kill() ?? Promise.reject(new Error('no host')));
      expect(failed(during)).toEqual([]);
      await expectMoved(2);
    });

    /** While a host is away, its keys alone are elsewhere, each on one host. */
    async function expectMoved(away: number): Promise<void> {
      const answers = await askAll();
      expect(failed(answers)).toEqual([]);
      const now = hostsByKey(answers);
      expect(severalOf(now)).toEqual([]);
      const moved = searches.filter((path) => !equalSets(now.get(path), homes.get(path)));
      expect(moved).toEqual(searches.filter((path) => homes.get(path)?.has(away)));
      report('keys that moved', `${moved.length} of ${KEYS}`);
    }

    function report(what: string, value: string): void {
      console.log(`${name}: ${what}: ${value}`);
    }
  });
}

const haproxy = testProgram(BALANCERS.haproxy);
test.skipIf(haproxy === undefined)(
  'haproxy gives a host whose /readyz is 503 no new requests, and none fails',
  async () => {
    const hosts: StubHost[] = [];
    for (let index = 0; index < 3; index += 1) hosts.push(await startStubHost());
    const hostPorts = hosts.map(({ port }) => port);
    const balancer = await startBalancer('haproxy', { program: haproxy ?? '', hostPorts });
    onTestFinished(balancer.close);
    const [leaving] = hosts;
    if (leaving === undefined) throw new Error('There are no hosts');
    const askEach = async (): Promise<void> => {
      for (const path of searches) {
        const { statusCode, body } = await request(balancer.url + path);
        await body.dump();
        expect(statusCode).toBe(200);
      }
    };
    await askEach();
    expect(leaving.searches).toBeGreaterThan(0);
    leaving.isReady = false;
    await until(async () => {
      const before = leaving.searches;
      await askEach();
      return leaving.searches === before;
    }, 'the host without requests');
    leaving.isReady = true;
    await until(async () => {
      const before = leaving.searches;
      await askEach();
      return leaving.searches > before;
    }, 'the host with requests again');
  },
);

function failed(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter(({ status }) => status !== 200);
}

function grouped<T>(answers: readonly Answer[], by: (answer: Answer) => T): Map<string, Set<T>> {
  const groups = new Map<string, Set<T>>();
  for (const answer of answers) {
    const group = groups.get(answer.path) ?? new Set();
    groups.set(answer.path, group.add(by(answer)));
  }
  return groups;
}

/** The keys that were in more than one place. */
function severalOf<T>(places: Map<string, Set<T>>): readonly string[] {
  return [...places].filter(([, { size }]) => size > 1).map(([key]) => key);
}

function keysOn(homes: Map<string, Set<number | undefined>>, host: number): number {
  return [...homes.values()].filter((home) => home.has(host)).length;
}

function equalSets<T>(one: Set<T> | undefined, other: Set<T> | undefined): boolean {
  return [...(one ?? [])].sort().join() === [...(other ?? [])].sort().join();
}
