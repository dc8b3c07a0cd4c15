import http from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  type DemoProcess,
  eventually,
  getFrom,
  MADRID_BARCELONA,
  requestsAt,
  runDemo,
  setPlan,
  startDemo,
  statsOf,
} from '../demo.ts';

function startCluster(...argv: string[]): Promise<DemoProcess> {
  return startDemo(['--accept', 'cluster', ...argv]);
}

/** Asks over a connection of its own, so that each request finds its own way to a process. */
function askAlone(url: string): Promise<{ worker: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent: false, headers: { 'accept-encoding': 'br' } }, async (response) => {
        const bytes = Buffer.concat(await response.toArray());
        const isPlain = response.headers['content-encoding'] === undefined;
        const body = (isPlain ? bytes : brotliDecompressSync(bytes)).toString();
        resolve({ worker: String(response.headers['x-worker']), body });
      })
      .once('error', reject);
  });
}

test('eight requests one after the other are served by eight processes', async () => {
  const { url } = await startCluster('--workers', '8');
  const pids = new Set<string | undefined>();
  for (let index = 0; index < 8; index++) pids.add((await askAlone(`${url}/compute`)).worker);
  expect(pids.size).toBe(8);
});

test.each([
  ['in-process', 300],
  ['fork', 300],
  ['cluster', 300],
])(
  '--coalesce machine, --dispatch %s: equal searches of four processes are one upstream',
  async (dispatch, clients) => {
    const { url, carriersUrl } = await startCluster(
      ...['--workers', '4', '--coalesce', 'machine', '--dispatch', dispatch, '--latency', '300'],
    );
    const answers = await Promise.all(
      Array.from({ length: clients }, () => askAlone(url + MADRID_BARCELONA)),
    );
    expect(new Set(answers.map(({ worker }) => worker)).size).toBe(4);
    // A client that came after the first search had ended began a second one; never two at a time.
    const { renfe } = await requestsAt(carriersUrl);
    expect(renfe?.arrived).toBeLessThanOrEqual(8);
    expect(renfe?.mostOpen).toBe(1);
    const bodies = new Set(answers.map(({ body }) => JSON.parse(body).searchId ?? body));
    expect(bodies.size).toBe((renfe?.arrived ?? 0) / 4);
    // Each process compresses a document once, for all of its clients.
    const servers = (await statsOf({ get: (path) => getFrom(url + path) })).slice(1);
    expect(servers).toHaveLength(4);
    for (const { encoding, coalesce } of servers) {
      expect(encoding.compressed).toBeLessThanOrEqual(coalesce.loaded);
      expect(encoding.asked).toBe(coalesce.asked);
    }
  },
);

test('without --coalesce machine each process searches for itself', async () => {
  const { url, carriersUrl } = await startCluster('--workers', '2', '--latency', '300');
  const workers = new Set<string | undefined>();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => askAlone(url + MADRID_BARCELONA)),
  );
  for (const { worker } of answers) workers.add(worker);
  expect(workers.size).toBe(2);
  expect((await requestsAt(carriersUrl))['renfe']?.arrived).toBeGreaterThanOrEqual(8);
});

test('a carrier that hangs is aborted at the deadline, though the primary is between', async () => {
  const demo = await startCluster(
    ...['--workers', '2', '--dispatch', 'cluster', '--coalesce', 'machine'],
    ...['--latency', '0', '--deadline-ms', '5000'],
  );
  await setPlan(demo.carriersUrl, 'renfe', { fault: { kind: 'hang' } });
  const { status, body } = await getFrom(demo.url + MADRID_BARCELONA);
  expect(status).toBe(200);
  expect(body.carriers).toMatchObject([{ state: 'timeout' }, { state: 'ok' }, { state: 'ok' }]);
  await eventually(async () =>
    expect((await requestsAt(demo.carriersUrl))['renfe']).toMatchObject({ aborted: 1, open: 0 }),
  );
});

test('serving processes that throw at boot: started a bounded number of times, then why, and exit code 1', async () => {
  const preload = new URL('../fails-at-boot.mjs', import.meta.url).href;
  const argv = ['--port', '0', '--accept', 'cluster', '--workers', '2'];
  const { code, stderr } = await runDemo(argv, { NODE_OPTIONS: `--import=${preload}` });
  expect(code).toBe(1);
  expect(stderr).toContain('no luck today');
  // Five failures are tolerated, and the sixth is the last; two may be under way at once.
  const starts = stderr.match(/^Server process \d+ ended/gm)?.length ?? 0;
  expect(starts).toBeGreaterThanOrEqual(6);
  expect(starts).toBeLessThanOrEqual(8);
});
