import { startCarrierSim } from '@ticketing/carrier-sim';
import { stationTable } from '@ticketing/carriers';
import { createNatsDispatcher } from '@ticketing/dispatch-nats';
import { lives, startNatsServer } from '@ticketing/test-kit';
import { expect, onTestFinished, test } from 'vitest';
import { StatsDocument } from '../../src/figures/stats-document.ts';
import { OperatorView } from '../../src/figures/view-schema.ts';
import { ConfigDocument } from '../../src/http/api/config-document.ts';
import { carriersBehindGate } from '../carriers-behind-gate.ts';
import {
  ASKED,
  type DemoProcess,
  eventually,
  getFrom,
  MADRID_BARCELONA,
  runDemo,
  startDemo,
  startHostProgram,
  statsOf,
} from '../demo.ts';
import { descendantsOf, describeWithNats, newFleet, sharedNats, testWithNats } from '../fleet.ts';
import { pidsOf } from '../processes.ts';
import { hasPromtool, promtool } from '../promtool.ts';
import { schemaErrors } from '../schema-errors.ts';
import { samples, sumOf } from '../series.ts';

/** So many different questions that of two owners each has some, whatever their names are: of 9 one may have none. */
const MANY = 45;

/** One of {@link MANY} questions. */
function questionOf(number: number): string {
  const transfers = Math.floor((number % MANY) / 9);
  return `${MADRID_BARCELONA}&passengers=${1 + (number % 9)}&maxTransfers=${transfers}`;
}

/** Searches of equal and different questions, one after the other by each client, until they are told to stop. */
function loadOn(url: string, { clients = 6 } = {}) {
  let isOver = false;
  const outcomes: { readonly status: number | string; readonly complete: boolean }[] = [];
  const running = Array.from({ length: clients }, async (_, client) => {
    for (let number = client; !isOver; number += 1) {
      const asked = getFrom(url + questionOf(number), { headers: { connection: 'close' } });
      const { status, body } = await asked.catch((error) => ({
        status: String(error),
        body: undefined,
      }));
      outcomes.push({ status, complete: body?.complete === true });
    }
  });
  return {
    outcomes,
    /** Waits for answers to requests that begin after this call. */
    async more(count = 20): Promise<void> {
      const before = outcomes.length;
      await eventually(() => expect(outcomes.length).toBeGreaterThan(before + count));
    },
    async end() {
      isOver = true;
      await Promise.all(running);
      return outcomes.filter(({ status, complete }) => status !== 200 || !complete);
    },
  };
}

type Host = { readonly name: string; readonly state: string; readonly fleet: string };

async function hostsAt(url: string, fleet = 'tasks'): Promise<readonly Host[]> {
  const { body } = await getFrom(`${url}/operator/state`);
  return body.hosts.filter((host: Host) => host.fleet === fleet);
}

/** Waits until the hosts of these names have a session, and no other has. */
function joined(url: string, ...names: string[]): Promise<void> {
  return eventually(async () => {
    const hosts = await hostsAt(url);
    const found = hosts.filter(({ state }) => state === 'joined').map(({ name }) => name);
    expect(found.sort()).toEqual(names);
  });
}

/** Waits until a server has a session with as many owners of keys, itself included: a known host that has none yet is asked nothing. */
function ownersJoined(url: string, count: number): Promise<void> {
  return eventually(async () => {
    const states = (await hostsAt(url, 'keys')).map(({ state }) => state);
    expect(states).toEqual(new Array(count).fill('joined'));
  });
}

/** Carriers, hosts of these names, and servers that ask them; all in one fleet, until the test ends. */
async function startFleet(
  natsUrl: string,
  {
    names,
    servers = [[]],
    latencyMs = 20,
    carriersUrl,
  }: {
    readonly names: readonly string[];
    /** Flags of each server. */
    readonly servers?: readonly (readonly string[])[];
    readonly latencyMs?: number;
    /** In place of a simulator of its own. */
    readonly carriersUrl?: string;
  },
) {
  const latency = { kind: 'fixed', ms: latencyMs } as const;
  const plan = Object.fromEntries(ASKED.map((name) => [name, { latency }]));
  const sim = await startCarrierSim({ plan });
  onTestFinished(() => sim.close());
  const shared = [
    ...['--nats-url', natsUrl, '--fleet', newFleet(), '--carriers-url', carriersUrl ?? sim.url],
    ...['--deadline-ms', '20000'],
  ];
  const host = (name: string, ...argv: readonly string[]) =>
    startHostProgram([...shared, '--name', name, ...argv]);
  const hosts = await Promise.all(names.map((name) => host(name)));
  const demos = await Promise.all(servers.map((argv) => startDemo([...shared, ...argv])));
  return { demos, demo: demos[0] as DemoProcess, hosts, host, sim, shared };
}

const OVER_NATS = ['--dispatch', 'nats'];
// A day on which the simulator's timetable does not change while the tests run, however late they do.
const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);

describeWithNats('hosts that are programs of their own', () => {
  const nats = sharedNats();
  const start = (...names: string[]) => startFleet(nats().url, { names, servers: [OVER_NATS] });

  test('SIGTERM of each host in turn under load: others take over, and no search fails', async () => {
    const { demo, hosts, host } = await start('one', 'two');
    await joined(demo.url, 'one', 'two');
    const load = loadOn(demo.url);
    await load.more();
    hosts[0]?.child.kill('SIGTERM');
    expect(await hosts[0]?.exit()).toBe(0);
    await joined(demo.url, 'two');
    await load.more();
    await host('three');
    await joined(demo.url, 'three', 'two');
    hosts[1]?.child.kill('SIGTERM');
    expect(await hosts[1]?.exit()).toBe(0);
    await load.more();
    expect(await load.end()).toEqual([]);
    const [{ dispatch }] = await statsOf({ get: (path) => getFrom(demo.url + path) });
    expect(dispatch).toMatchObject({ kind: 'nats', failed: 0, rejected: 0 });
    expect(dispatch.completed).toBeGreaterThan(60);
  });

  test('a host that is killed under load: its calls run again on another, and no search fails', async () => {
    const { demo, hosts } = await start('one', 'two');
    await joined(demo.url, 'one', 'two');
    const load = loadOn(demo.url);
    await load.more();
    hosts[0]?.child.kill('SIGKILL');
    await joined(demo.url, 'two');
    await load.more();
    expect(await load.end()).toEqual([]);
    const { body } = await getFrom(`${demo.url}/operator/state`);
    expect(body.events.map(({ kind }: { kind: string }) => kind)).toContain('host-lost');
  });

  test('a host reports its readiness, shows no password, and refuses what it does not know', async () => {
    const { hosts } = await startFleet(nats().url.replace('//', '//me:s3cret@'), {
      names: ['one'],
      servers: [],
    });
    const [host] = hosts;
    const statusAt = async (path: string, init?: RequestInit) =>
      (await getFrom(`${host?.url}${path}`, init)).status;
    expect(await statusAt('/readyz')).toBe(200);
    expect(await statusAt('/healthz')).toBe(200);
    expect(await statusAt('/search')).toBe(404);
    expect(await statusAt('/readyz', { method: 'POST' })).toBe(405);
    expect((await getFrom(`${host?.url}/stats`)).body).toMatchObject({
      name: 'one',
      tasks: { state: 'serving' },
      questions: { state: 'serving' },
    });
    expect(host?.output()).toMatch(/^host +one of fleet test-\w+ at nats:\/\/127/);
    expect(host?.output()).not.toContain('s3cret');
    host?.child.kill('SIGTERM');
    expect(await host?.exit()).toBe(0);
    expect(host?.errors()).toBe('');
  });
});

describeWithNats('zones', () => {
  const nats = sharedNats();

  test('--zone: searches run on hosts of the zone, and on others once it has none', async () => {
    const { demo, host } = await startFleet(nats().url, {
      names: [],
      servers: [[...OVER_NATS, '--zone', 'here']],
    });
    const near = await host('near', '--zone', 'here');
    const far = await host('far', '--zone', 'there');
    await joined(demo.url, 'far', 'near');
    const doneBy = async (name: string) => {
      const [{ dispatch }] = await statsOf({ get: (path) => getFrom(demo.url + path) });
      const rows = dispatch.workers.filter(
        ({ moduleReport }: { moduleReport?: { name: string } }) => moduleReport?.name === name,
      );
      return rows.reduce((sum: number, { done }: { done: number }) => sum + done, 0);
    };
    const search = async (): Promise<void> => {
      expect((await getFrom(demo.url + MADRID_BARCELONA)).body.complete).toBe(true);
    };
    // While the near one was not there, others had all; that ends a second after it has come.
    await eventually(async () => {
      const before = await doneBy('far');
      for (let each = 0; each < 5; each += 1) await search();
      expect(await doneBy('far')).toBe(before);
    });
    const before = await doneBy('far');
    expect(await doneBy('near')).toBeGreaterThan(0);
    near.child.kill('SIGTERM');
    expect(await near.exit()).toBe(0);
    await joined(demo.url, 'far');
    await search();
    expect(await doneBy('far')).toBeGreaterThan(before);
    expect(far.errors()).toBe('');
  });
});

describeWithNats('NATS goes, and comes back', () => {
  test('searches go on in the server process meanwhile, and on the hosts afterwards', async () => {
    const nats = await startNatsServer();
    onTestFinished(() => nats.close());
    const { demo, hosts } = await startFleet(nats.url, {
      names: ['one'],
      servers: [[...OVER_NATS, '--coalesce', 'fleet', '--deadline-ms', '10000']],
    });
    await joined(demo.url, 'one');
    await ownersJoined(demo.url, 2);
    const load = loadOn(demo.url);
    await load.more();
    await nats.stop();
    await eventually(async () => {
      expect((await getFrom(`${hosts[0]?.url}/readyz`)).status).toBe(503);
    });
    await load.more(40);
    const { http } = (await statsOf({ get: (path) => getFrom(demo.url + path) }))[0];
    expect(http.renfe.sent).toBeGreaterThan(0);
    await nats.start();
    await joined(demo.url, 'one');
    await load.more(40);
    expect(await load.end()).toEqual([]);
    expect((await getFrom(`${hosts[0]?.url}/readyz`)).status).toBe(200);
  });
});

describeWithNats('--dispatch nats without a server', () => {
  test('starts one and two hosts, and leaves nothing', async () => {
    const demo = await startDemo(['--dispatch', 'nats', '--latency', '0']);
    const pid = demo.child.pid ?? 0;
    expect((await getFrom(demo.url + MADRID_BARCELONA)).body.complete).toBe(true);
    expect(demo.output()).toContain('and hosts of fleet demo for tasks');
    const { body } = await getFrom(`${demo.url}/config`);
    expect(pidsOf(body, 'host')).toHaveLength(2);
    expect(body.natsUrl).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
    const all = [...descendantsOf(pid), ...pidsOf(body, 'host')];
    demo.child.kill('SIGTERM');
    expect(await demo.exit()).toBe(0);
    expect(all.filter(lives)).toEqual([]);
  });

  test('whose process is killed: nothing outlives it', async () => {
    const demo = await startDemo(['--dispatch', 'nats', '--latency', '0']);
    const { body } = await getFrom(`${demo.url}/config`);
    const all = [...descendantsOf(demo.child.pid ?? 0), ...pidsOf(body, 'host')];
    expect(all.length).toBeGreaterThanOrEqual(2);
    demo.child.kill('SIGKILL');
    await eventually(() => expect(all.filter(lives)).toEqual([]));
  });

  test('a host of it is killed from the page: another takes its place', async () => {
    const demo = await startDemo(['--dispatch', 'nats', '--latency', '0']);
    await joined(demo.url, 'host-0', 'host-1');
    const hosts = async () => pidsOf((await getFrom(`${demo.url}/config`)).body, 'host');
    const before = await hosts();
    const kill = (id: string) =>
      getFrom(`${demo.url}/operator/processes/${id}/kill`, {
        method: 'POST',
        headers: { origin: demo.url, 'content-type': 'application/json' },
        body: '{}',
      });
    expect((await kill('host-1')).status).toBe(200);
    await eventually(async () => {
      const now = await hosts();
      expect(now).toHaveLength(2);
      expect(now.filter((pid) => before.includes(pid))).toHaveLength(1);
    });
    await joined(demo.url, 'host-0', 'host-1');
  });
});

test('without a flag of fleets no client of NATS or Redis is loaded', async () => {
  const hooks =
    "import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { if (/nats|valkey/.test(url)) process._rawDebug('loaded ' + url); return next(url, context) } })";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}` };
  for (const argv of [[], ['--accept', 'cluster', '--workers', '1', '--coalesce', 'machine']]) {
    const demo = await startDemo(argv, env);
    expect((await getFrom(demo.url + MADRID_BARCELONA)).status).toBe(200);
    expect(demo.errors()).toBe('');
  }
  // What is looked for is found where it is loaded.
  const { stderr } = await runDemo(
    ['--port', '0', '--dispatch', 'nats', '--nats-url', 'nats://127.0.0.1:1', '--fallback', 'off'],
    env,
  );
  expect(stderr).toMatch(/^loaded .*dispatch-nats/m);
});

test('--dispatch nats without nats-server: one line and exit code 2', async () => {
  const env = { NATS_SERVER_BIN: '/nowhere/nats-server' };
  expect(await runDemo(['--port', '0', '--dispatch', 'nats'], env)).toEqual({
    code: 2,
    stderr:
      'Cannot start: --dispatch nats must have --nats-url, or nats-server, which NATS_SERVER_BIN, which is /nowhere/nats-server, does not run\n',
    stdout: '',
  });
});

testWithNats('--fallback off, and no host: one line and exit code 2', async () => {
  const nats = await startNatsServer();
  onTestFinished(() => nats.close());
  const flags = ['--port', '0', '--dispatch', 'nats', '--nats-url', nats.url];
  const { code, stderr } = await runDemo([...flags, '--fallback', 'off']);
  expect(stderr).toMatch(
    /^Cannot start: fleet demo at nats:\/\/127\S+ must have a host, got [^\n]+\n$/,
  );
  expect(code).toBe(2);
});

describeWithNats('--coalesce fleet', () => {
  const nats = sharedNats();
  // With one key pages of an answer are equal, too.
  const SHARED = ['--coalesce', 'fleet', '--page-key', 'the-same-for-all-servers'];

  test('three servers that are asked the same at once search once', async () => {
    const { url: carriersUrl, open, sim } = await carriersBehindGate();
    const { demos } = await startFleet(nats().url, {
      names: [],
      servers: [SHARED, SHARED, ['--accept', 'cluster', '--workers', '2', ...SHARED]],
      carriersUrl,
    });
    for (const demo of demos) await ownersJoined(demo.url, 3);
    const asked = demos.flatMap(({ url }) =>
      Array.from({ length: 20 }, () => getFrom(url + MADRID_BARCELONA)),
    );
    // Each process asks the owner once for all its clients.
    await eventually(async () => {
      const all = await Promise.all(demos.map(({ url }) => getFrom(`${url}/stats`)));
      const processes = all.flatMap(({ body }) => body.processes);
      const counts = processes.map(({ coalesce }) => coalesce?.asked ?? 0);
      expect(counts.reduce((sum, count) => sum + count)).toBe(60);
      const atOwner = processes.map(({ keys }) => keys?.coalesce?.asked ?? 0);
      expect(atOwner.reduce((sum, count) => sum + count)).toBe(counts.filter(Boolean).length);
    });
    open();
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(sim.requests()).toMatchObject({ renfe: { arrived: 4 }, avlo: { arrived: 2 } });
  });

  test('a question whose owner dies is answered within its deadline, by two loads at most', async () => {
    const { demos, sim } = await startFleet(nats().url, {
      names: ['one', 'two', 'three'],
      servers: [SHARED],
      latencyMs: 200,
    });
    const [demo] = demos as [DemoProcess];
    await ownersJoined(demo.url, 4);
    // Some of these belong to a host.
    const paths = Array.from({ length: 9 }, (_, at) => `${MADRID_BARCELONA}&passengers=${at + 1}`);
    const asked = paths.flatMap((path) => [1, 2, 3].map(() => getFrom(demo.url + path)));
    const busy = await eventually(async () => {
      const { body } = await getFrom(`${demo.url}/stats`);
      const found = body.processes[0].keys.dispatch.workers.find(
        (worker: { inFlight: number }) => worker.inFlight > 0,
      );
      expect(found).toBeDefined();
      return found.moduleReport.pid as number;
    });
    process.kill(busy, 'SIGKILL');
    for (const { status, body } of await Promise.all(asked)) {
      expect([status, body.complete]).toEqual([200, true]);
    }
    const { avlo } = sim.requests();
    expect(avlo.arrived).toBeLessThanOrEqual(2 * 2 * paths.length);
  });

  test.each([
    ['single', []],
    ['cluster', ['--workers', '1']],
  ])(
    'SIGTERM of a server that owns keys, --accept %s: no search at another fails',
    async (accept, workers) => {
      const { demos } = await startFleet(nats().url, {
        names: [],
        servers: [SHARED, ['--accept', accept, ...workers, ...SHARED]],
      });
      const [stays, leaves] = demos as [DemoProcess, DemoProcess];
      await ownersJoined(stays.url, 2);
      const load = loadOn(stays.url, { clients: 9 });
      await eventually(async () => {
        const { fleets } = (await getFrom(`${leaves.url}/operator/state`)).body;
        expect(fleets[0].served.completed).toBeGreaterThan(10);
      });
      leaves.child.kill('SIGTERM');
      expect(await leaves.exit()).toBe(0);
      await load.more();
      expect(await load.end()).toEqual([]);
      expect(stays.errors()).toBe('');
    },
  );

  test('a server of several processes that leaves the fleet answers balancers with 503, while it answers the questions of others', async () => {
    const { demos, sim } = await startFleet(nats().url, {
      names: [],
      servers: [SHARED, ['--accept', 'cluster', '--workers', '2', ...SHARED]],
    });
    const [stays, leaves] = demos as [DemoProcess, DemoProcess];
    await ownersJoined(stays.url, 2);
    // As a balancer asks: on a connection of its own each time.
    const statusOf = async () =>
      (await getFrom(`${leaves.url}/readyz`, { headers: { connection: 'close' } })).status;
    expect(await statusOf()).toBe(200);
    for (const name of ASKED) sim.setPlan(name, { fault: { kind: 'hang', share: 1 } });
    const paths = Array.from({ length: MANY }, (_, at) => questionOf(at));
    const clients = new AbortController();
    const { signal } = clients;
    const asked = paths.map((path) => getFrom(stays.url + path, { signal }));
    await eventually(async () => {
      const { fleets } = (await getFrom(`${leaves.url}/operator/state`)).body;
      expect(fleets[0].served.running).toBeGreaterThan(0);
    });
    leaves.child.kill('SIGTERM');
    // It waits two seconds for what hangs; then it takes no connections.
    const told = [await statusOf()];
    while (told.at(-1) === 200) told.push(await statusOf());
    expect(told.at(-1)).toBe(503);
    clients.abort();
    await Promise.allSettled(asked);
    expect(await leaves.exit()).toBe(0);
  });

  test('forged questions are refused one by one, and harm nothing', async () => {
    const fleet = newFleet();
    const flags = ['--nats-url', nats().url, '--fleet', fleet, '--worms', '50', '--latency', '0'];
    const demo = await startDemo([...SHARED, ...flags]);
    const stranger = createNatsDispatcher<{
      document(input: unknown): { readonly body: Uint8Array };
      worms(input: unknown): unknown;
    }>({
      ...{ nats: { servers: nats().url }, fleet: `${fleet}-keys`, tasks: ['document', 'worms'] },
    });
    onTestFinished(() => stranger.close());
    await stranger.ready();
    const [origin, destination] = ['Madrid', 'Barcelona'].map((name) => {
      const match = stationTable.find(name);
      return match.kind === 'found' ? match.station : undefined;
    });
    const query = { origin, destination, date: day };
    const forged: unknown[] = [
      ...[undefined, null, 'text', [], {}, { question: null, deadlineMs: 100 }],
      ...[Number.NaN, Number.POSITIVE_INFINITY, -1, 1e99, '100'].map((deadlineMs) => ({
        question: { query, order: 'departure' },
        deadlineMs,
      })),
      ...[
        { query: {}, order: 'departure' },
        { query: { ...query, origin: { id: '__proto__' } }, order: 'departure' },
        { query: { ...query, date: 'yesterday' }, order: 'departure' },
        { query: { ...query, passengers: 1e9 }, order: 'departure' },
        { query, order: 'none' },
        { query, order: 'departure', carriers: ['nobody'] },
        { query, order: 'departure', carriers: 7 },
      ].map((question) => ({ question, deadlineMs: 1000 })),
    ];
    for (const input of forged) {
      const asked = stranger.run('document', input, { timeoutMs: 20_000 });
      await expect(asked, JSON.stringify(input)).rejects.toThrow();
    }
    for (const question of [undefined, { $gt: '' }, 7]) {
      const asked = stranger.run('worms', { question, deadlineMs: 1000 }, { timeoutMs: 20_000 });
      await expect(asked).rejects.toThrow();
    }
    const question = { query, order: 'departure' };
    const answer = await stranger.run('document', { question, deadlineMs: 10_000 });
    expect(JSON.parse(Buffer.from(answer.body).toString()).complete).toBe(true);
    expect((await getFrom(demo.url + MADRID_BARCELONA)).status).toBe(200);
    expect(demo.errors()).toBe('');
  });

  test('figures of fleets match their schemas, and promtool finds no fault', async () => {
    const flags = ['--dispatch', 'nats', '--latency', '0', '--zone', 'a'];
    const { url } = await startDemo([...flags, ...SHARED]);
    await ownersJoined(url, 3);
    await joined(url, 'host-0', 'host-1');
    await getFrom(url + MADRID_BARCELONA);
    const documents = [
      ['/stats', StatsDocument],
      ['/config', ConfigDocument],
      ['/operator/state', OperatorView],
    ] as const;
    for (const [path, schema] of documents) {
      expect(schemaErrors(schema, (await getFrom(url + path)).body), path).toEqual([]);
    }
    const { body } = await getFrom(`${url}/metrics`);
    const found = samples(body);
    const joinedTo = (fleet: string) =>
      sumOf(found, 'ticketing_fleet_hosts', { fleet, state: 'joined' });
    expect([joinedTo('tasks'), joinedTo('keys')]).toEqual([2, 3]);
    expect(sumOf(found, 'ticketing_fleet_questions_total')).toBe(1);
    expect(sumOf(found, 'ticketing_fleet_host_credit', { host: 'host-0' })).toBeGreaterThan(0);
    expect(sumOf(found, 'ticketing_process_up', { process: 'host-1' })).toBe(1);
    if (hasPromtool) expect(await promtool(['check', 'metrics'], body)).toBe('');
  });
});
