import { startCarrierSim } from '@ticketing/carrier-sim';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  eventually,
  getFrom,
  hold,
  MADRID_BARCELONA,
  requestsAt,
  startDemo,
  startHostProgram,
} from '../demo.ts';
import { describeWithNats, newFleet, sharedNats } from '../fleet.ts';
import { type ReceivedSpan, receiveTelemetry, tracesOf, treeOf } from '../otlp-receiver.ts';

/** Ends a server, which sends what is left, and returns all spans. */
async function spansOf(
  demo: Awaited<ReturnType<typeof startDemo>>,
  collector: Awaited<ReturnType<typeof receiveTelemetry>>,
): Promise<readonly ReceivedSpan[]> {
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  return collector.spans;
}

/** So many at once that some join others, however busy the machine is. */
const AT_ONCE = 10;

/**
 * Asks equal searches at once. Each trace is a tree without orphans; some are linked to one that goes from the request to the
 * carriers' own calls. Returns that tree, of a search that asked the carrier `ouigo` alone.
 */
async function oneTreeAndFollowers(...argv: string[]): Promise<readonly string[]> {
  const collector = await receiveTelemetry();
  const flags = ['--otel', collector.url, '--latency', '300', ...argv];
  const demo = await startDemo(['--carriers', 'ouigo', ...flags]);
  const asked = Array.from({ length: AT_ONCE }, () => getFrom(demo.url + MADRID_BARCELONA));
  for (const { status, headers } of await Promise.all(asked)) {
    expect(status).toBe(200);
    expect(headers.get('server-timing')).toMatch(
      /traceparent;desc="00-[\da-f]{32}-[\da-f]{16}-01"/,
    );
  }
  const traces = tracesOf(await spansOf(demo, collector), '/search');
  expect(traces).toHaveLength(AT_ONCE);
  const trees = new Map(traces.map((trace) => [trace, treeOf(trace)]));
  // Each request has its own: none runs in the context of another.
  for (const tree of trees.values()) {
    expect(tree.filter((line) => /^ {2}\S/.test(line))).toEqual([
      expect.stringMatching(/^ {2}coalesce search server-\d$/),
    ]);
  }
  const followed = new Set(traces.flat().flatMap(({ links }) => links));
  const led = traces.find(
    (trace) =>
      trace.some(({ name }) => name === 'search') &&
      trace.some(({ spanId }) => followed.has(spanId)),
  );
  expect(collector.metrics).toContain('http.server.request.duration');
  expect(collector.metrics).toContain('ticketing.coalescer.calls');
  return (led && trees.get(led)) ?? [];
}

/** Equal streams at once: some search, and each of the others has a span in its own trace, linked to a stream that does. */
async function linkedStreams(...argv: string[]): Promise<void> {
  const collector = await receiveTelemetry();
  const flags = ['--otel', collector.url, '--latency', '300', '--carriers', 'ouigo', ...argv];
  const demo = await startDemo(flags);
  const headers = { accept: 'application/x-ndjson' };
  const ask = () => getFrom(demo.url + MADRID_BARCELONA, { headers });
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, ask));
  for (const { body } of answers) expect(body).toContain('search-done');
  const traces = tracesOf(await spansOf(demo, collector), '/search');
  expect(traces).toHaveLength(AT_ONCE);
  for (const trace of traces) treeOf(trace);
  const streams = traces.flat().filter(({ name }) => name === 'stream search-streams');
  expect(streams).toHaveLength(AT_ONCE);
  const ofOutcome = (outcome: string) =>
    streams.filter(({ attributes }) => attributes['ticketing.outcome'] === outcome);
  const [led, joined] = [ofOutcome('led'), ofOutcome('joined')];
  expect(led.length + joined.length).toBe(AT_ONCE);
  expect(joined.length).toBeGreaterThan(0);
  const leaders = new Set(led.map(({ spanId }) => spanId));
  for (const { links } of joined) expect(leaders).toContain(links[0]);
  const searches = traces.filter((trace) => trace.some(({ name }) => name === 'search'));
  expect(searches).toHaveLength(led.length);
}

/** A worker that is killed in the middle of its task: the attempts are two spans. */
async function killedWorker(...argv: string[]): Promise<void> {
  const collector = await receiveTelemetry();
  const flags = ['--otel', collector.url, '--deadline-ms', '60000', '--carriers', 'avlo', ...argv];
  const demo = await startDemo(flags);
  const release = await hold(demo.carriersUrl, 'avlo');
  const answer = getFrom(demo.url + MADRID_BARCELONA);
  const pid = await eventually(async () => {
    // Only a task that has begun is lost with its worker.
    expect((await requestsAt(demo.carriersUrl))['avlo']?.open).toBeGreaterThan(0);
    const { body } = await getFrom(`${demo.url}/stats`);
    const { workers } = body.processes[0].dispatch;
    const busy = workers.find((worker: { inFlight: number }) => worker.inFlight > 0);
    expect(busy).toBeDefined();
    return busy.pid as number;
  });
  process.kill(pid, 'SIGKILL');
  await release();
  expect(await answer).toMatchObject({ status: 200, body: { complete: true } });
  const [trace = []] = tracesOf(await spansOf(demo, collector), '/search');
  const attempts = trace.filter(({ name }) => name === 'task askCarrier');
  const told = attempts.map(({ attributes, failed, instance }) => [
    attributes['ticketing.dispatch.attempt'],
    failed,
    instance,
  ]);
  expect(told.sort()).toEqual([
    [1, true, 'server-0'],
    [2, false, expect.stringMatching(/^server-0\/task-\d$/)],
  ]);
  treeOf(trace);
}

const own = (server: string) => [
  `GET /search ${server}`,
  `  coalesce search ${server}`,
  `    search ${server}`,
  `      carrier ouigo ${server}`,
  `        dispatch askCarrier ${server}`,
];
const asked = (instance: string, depth: number) =>
  ['task askCarrier', '  POST', '  POST'].map(
    (line) => `${' '.repeat(2 * depth)}${line} ${instance}`,
  );

describe('one trace is one tree', () => {
  test.each([
    ['in-process', 'server-0'],
    ['fork', 'server-0/task-0'],
    ['piscina', 'server-0/task-0'],
    ['cluster', 'server-0/task-0'],
  ])('--accept single, --dispatch %s', async (dispatch, worker) => {
    const flags = dispatch === 'in-process' ? [] : ['--dispatch-workers', '1'];
    const tree = await oneTreeAndFollowers('--dispatch', dispatch, ...flags);
    expect(tree).toEqual([...own('server-0'), ...asked(worker, 5)]);
  });

  test.each([
    ['cluster', 'in-process', 'server-0'],
    ['cluster', 'piscina', 'server-0/task-0'],
    ['socket', 'fork', 'server-0/task-0'],
    ['passthru', 'in-process', 'server-0'],
  ])('--accept %s, --dispatch %s', async (accept, dispatch, worker) => {
    const argv = ['--accept', accept, '--workers', '1', '--dispatch', dispatch];
    const flags = dispatch === 'in-process' ? [] : ['--dispatch-workers', '1'];
    const tree = await oneTreeAndFollowers(...argv, ...flags);
    expect(tree).toEqual([...own('server-0'), ...asked(worker, 5)]);
  });

  test('--accept socket, --dispatch cluster: through the primary, and back', async () => {
    const argv = ['--accept', 'socket', '--workers', '1', '--dispatch', 'cluster'];
    expect(await oneTreeAndFollowers(...argv)).toEqual([
      ...own('server-0'),
      '          task askCarrier primary',
      '            dispatch askCarrier primary',
      ...asked('server-0', 7),
    ]);
  });

  test('--accept cluster, --coalesce machine: the primary holds what all share', async () => {
    const argv = ['--accept', 'cluster', '--workers', '2', '--coalesce', 'machine'];
    const tree = await oneTreeAndFollowers(...argv);
    // Any server process may get the requests, and any the search.
    expect(tree.map((line) => line.replace(/server-\d/, 'server'))).toEqual([
      'GET /search server',
      '  coalesce search server',
      '    dispatch document server',
      '      task document primary',
      '        coalesce search primary',
      '          dispatch document primary',
      '            task document server',
      '              search server',
      '                carrier ouigo server',
      '                  dispatch askCarrier server',
      ...asked('server', 10),
    ]);
  });
});

describeWithNats('one trace is one tree over NATS', () => {
  const nats = sharedNats();
  // A host's own dispatcher has the task again.
  const onHost = (host: string, depth: number) => [
    `${'  '.repeat(depth)}task askCarrier ${host}`,
    `${'  '.repeat(depth)}  dispatch askCarrier ${host}`,
    ...asked(host, depth + 2),
  ];

  test('--dispatch nats, with hosts of its own', async () => {
    const tree = await oneTreeAndFollowers('--dispatch', 'nats');
    const named = tree.map((line) => line.replace(/host-\d/, 'host'));
    expect(named).toEqual([...own('server-0'), ...onHost('host', 5)]);
  });

  test('--coalesce fleet: a question that belongs to a host program', async () => {
    const collector = await receiveTelemetry();
    const sim = await startCarrierSim({});
    onTestFinished(() => sim.close());
    const shared = [
      ...['--nats-url', nats().url, '--fleet', newFleet(), '--otel', collector.url],
      ...['--carriers', 'ouigo', '--carriers-url', sim.url],
    ];
    const host = await startHostProgram([...shared, '--name', 'far']);
    const demo = await startDemo([...shared, '--coalesce', 'fleet']);
    await eventually(async () => {
      const { hosts } = (await getFrom(`${demo.url}/operator/state`)).body;
      expect(hosts).toHaveLength(2);
    });
    // Some of these belong to it.
    for (let passengers = 1; passengers <= 9; passengers += 1) {
      const { status } = await getFrom(`${demo.url}${MADRID_BARCELONA}&passengers=${passengers}`);
      expect(status).toBe(200);
    }
    for (const { child } of [demo, host]) child.kill('SIGTERM');
    expect([await demo.exit(), await host.exit()]).toEqual([0, 0]);
    const trees = tracesOf(collector.spans, '/search').map(treeOf);
    expect(trees).toHaveLength(9);
    const far = trees.filter((tree) => tree.some((line) => line.includes('dispatch document')));
    expect(far.length).toBeGreaterThan(0);
    for (const tree of far) {
      expect(tree).toEqual([
        'GET /search server-0',
        '  coalesce search server-0',
        '    dispatch document server-0',
        '      task document far',
        '        dispatch document far',
        '          task document far',
        '            coalesce search far',
        '              search far',
        '                carrier ouigo far',
        '                  dispatch askCarrier far',
        ...(tree.filter((line) => line.includes('POST')).length === 2
          ? asked('far', 10)
          : asked('far', 10).slice(0, -1)),
      ]);
    }
  });
});

test('a stream that joins a search is linked to the stream that started it', async () => {
  await linkedStreams('--accept', 'cluster', '--workers', '1');
});

describe('a killed worker: its attempt is a span, and so is the next', () => {
  test.each(['fork', 'cluster'])('--dispatch %s', async (dispatch) => {
    await killedWorker('--dispatch', dispatch, '--dispatch-workers', '2');
  });
});

test('a collector that is down costs a line', async () => {
  const demo = await startDemo(['--otel', 'http://127.0.0.1:1', '--carriers', 'ouigo']);
  expect((await getFrom(`${demo.url}/healthz`)).status).toBe(200);
  demo.child.kill('SIGTERM');
  expect(await demo.exit()).toBe(0);
  const lines = demo.errors().split('\n').filter(Boolean);
  expect(lines.filter((line) => line.startsWith('Cannot send telemetry: '))).toHaveLength(1);
});
