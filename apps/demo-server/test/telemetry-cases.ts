import { expect } from 'vitest';
import { eventually, getFrom, hold, MADRID_BARCELONA, requestsAt, startDemo } from './demo.ts';
import { type ReceivedSpan, receiveTelemetry, tracesOf, treeOf } from './otlp-receiver.ts';

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
export async function oneTreeAndFollowers(...argv: string[]): Promise<readonly string[]> {
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

/** Equal streams at once: one searches, and the spans of the others are linked to its request's. */
export async function linkedStreams(...argv: string[]): Promise<void> {
  const collector = await receiveTelemetry();
  const flags = ['--otel', collector.url, '--latency', '300', '--carriers', 'ouigo', ...argv];
  const demo = await startDemo(flags);
  const headers = { accept: 'application/x-ndjson' };
  const ask = () => getFrom(demo.url + MADRID_BARCELONA, { headers });
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, ask));
  for (const { body } of answers) expect(body).toContain('search-done');
  const traces = tracesOf(await spansOf(demo, collector), '/search');
  const requests = traces.flat().filter(({ name }) => name === 'GET /search');
  expect(requests).toHaveLength(AT_ONCE);
  const joined = requests.filter(({ links }) => links.length > 0);
  expect(joined.length).toBeGreaterThan(0);
  const searches = traces.filter((trace) => trace.some(({ name }) => name === 'search'));
  const leaders = new Set(searches.flatMap((trace) => trace.map(({ spanId }) => spanId)));
  for (const { links } of joined) expect(leaders).toContain(links[0]);
  expect(joined.length + searches.length).toBe(AT_ONCE);
}

/** A worker that is killed in the middle of its task: the attempts are two spans. */
export async function killedWorker(...argv: string[]): Promise<void> {
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
