import http from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { History } from '../../src/figures/trend-schemas.ts';
import { readFlags } from '../../src/flags/read-flags.ts';
import { guardControls } from '../../src/http/guard-controls.ts';
import { createOperator } from '../../src/operator/operator.ts';
import { eventually, getFrom, MADRID_BARCELONA, serveDemo, sharedServerBy } from '../demo.ts';
import { askAsPage, eventsIn, type FeedEvent, stateOf } from '../operator-views.ts';
import { schemaErrors } from '../schema-errors.ts';

const shared = sharedServerBy(
  Date.now,
  ...['--latency', '0', '--dispatch', 'fork', '--dispatch-workers', '1'],
);

const ask = (method: string, path: string, body: unknown, headers?: Record<string, string>) =>
  askAsPage(shared(), method, path, body, headers);

/** Follows the events until the test ends, or the server ends them. */
async function eventsOf(url: string): Promise<AsyncGenerator<FeedEvent, void>> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const { body, headers } = await fetch(`${url}/operator/events`, { signal: leaving.signal });
  expect(headers.get('content-type')).toBe('text/event-stream');
  return eventsIn(body);
}

test('/operator/state is the view, with what the simulator was asked and the plans in force', async () => {
  await shared().get(MADRID_BARCELONA);
  // A request that is open while the view is made, whoever asked for the view.
  await eventsOf(shared().url);
  const view = await eventually(async () => {
    const now = await stateOf(shared());
    expect(now.searches[0]?.complete).toBeGreaterThan(0);
    expect(now.processes[0]?.inFlight).toBeGreaterThan(0);
    return now;
  });
  expect(view.modes).toMatchObject({ accept: 'single', dispatch: 'fork', controls: 'on' });
  expect(view.processes[0]?.connections).toBeGreaterThan(0);
  expect(view.upstream?.map(({ id }) => id)).toEqual(['renfe', 'ouigo', 'avlo']);
  expect(view.upstream?.[0]?.arrived).toBeGreaterThan(0);
  expect(view.upstream?.[0]?.plan).toMatchObject({ fault: null });
  expect(view.modes).toMatchObject({
    deadlineMs: expect.any(Number),
    carriers: { renfe: 'Renfe' },
  });
  expect(view.processes[1]).toMatchObject({ pool: 'server-0/tasks', window: expect.any(Number) });
  expect(view.pools[0]).toMatchObject({ slots: 1, size: 1 });
  expect(view.events).toContainEqual(expect.objectContaining({ kind: 'server-started' }));
});

test('/operator/events gives the history, then the view at once and again, and ends when the server stops', async () => {
  const { url, close } = await serveDemo('--latency', '0');
  const events = await eventsOf(url);
  const first = await events.next();
  expect(first.value?.event).toBe('history');
  expect(schemaErrors(History, first.value?.data)).toEqual([]);
  const [second, third] = [await events.next(), await events.next()];
  expect([second.value?.event, third.value?.event]).toEqual(['view', 'view']);
  const atOf = ({ value }: IteratorResult<FeedEvent, void>) => Number(value?.data.at);
  expect(atOf(third)).toBeGreaterThan(atOf(second));
  const { status, body } = await getFrom(`${url}/operator/history`);
  expect([status, schemaErrors(History, body)]).toEqual([200, []]);
  // The samples of the views that were followed are in it.
  expect(body.at).toContain(atOf(second));
  expect(body.lines['busy server-0']).toHaveLength(body.at.length);
  const end = events.next().then(async ({ done }) => done === true || (await events.next()).done);
  await close();
  expect(await end).toBe(true);
});

test('whoever looks within a second shares one question', async () => {
  let asked = 0;
  const { flags } = readFlags(['--carriers-url', 'http://nowhere.test'], {});
  const context = {
    flags,
    carriersUrl: '',
    now: () => 1,
    startedAt: 0,
    log() {},
    ownHosts: () => [],
    reloadHosts: async () => {},
  };
  const operator = createOperator(context, {
    processes: async () => {
      asked += 1;
      return [];
    },
    reload: async () => {},
    url: () => '',
  });
  const views = await Promise.all(Array.from({ length: 50 }, () => operator.view()));
  expect([asked, new Set(views).size]).toEqual([1, 1]);
  expect(await operator.control({ kind: 'kill', id: 'server-0' })).toMatchObject({
    refusal: { status: 404 },
  });
  await operator.close();
});

test('one reload at a time; one that fails is logged. Reloads by a signal are written down, too', async () => {
  const lines: string[] = [];
  const steps: string[] = [];
  let end = (_?: Error): void => {};
  const { flags } = readFlags([], {});
  const context = {
    ...{ flags, carriersUrl: '', now: () => 1, startedAt: 0, ownHosts: () => [] },
    log: (line: string) => void lines.push(line),
    reloadHosts: async () => void steps.push('hosts'),
  };
  const operator = createOperator(context, {
    processes: async () => [],
    reload: () =>
      new Promise<void>((resolve, reject) => {
        steps.push('workers');
        end = (error) => (error === undefined ? resolve() : reject(error));
      }),
    url: () => '',
  });
  onTestFinished(() => operator.close());
  expect(await operator.control({ kind: 'reload' })).toEqual({ value: { state: 'begun' } });
  expect(await operator.control({ kind: 'reload' })).toMatchObject({ refusal: { status: 409 } });
  end(new Error('no worker starts'));
  await eventually(() => expect(lines).toEqual(['Cannot reload: no worker starts']));
  expect(await operator.control({ kind: 'reload' })).toEqual({ value: { state: 'begun' } });
  end();
  await eventually(() => expect(steps).toEqual(['workers', 'workers', 'hosts']));
  // By SIGHUP: whoever passes the signal on reports the error.
  const signalled = operator.reload();
  end(new Error('no file'));
  await expect(signalled).rejects.toThrow('no file');
  expect(lines).toHaveLength(1);
  const { events } = await operator.view();
  expect(
    events.flatMap(({ kind, severity, text, detail }) =>
      kind.startsWith('reload') ? [[severity, text, detail]] : [],
    ),
  ).toEqual([
    ['note', 'Replacing all workers', undefined],
    ['bad', 'Workers could not be replaced', 'no worker starts'],
    ['note', 'Replacing all workers', undefined],
    ['note', 'All workers replaced', expect.stringMatching(/^0 in \d+\.\d s$/)],
    ['note', 'Replacing all workers', undefined],
    ['bad', 'Workers could not be replaced', 'no file'],
  ]);
});

test('a plan reaches the simulator; what it refuses is a problem with its reason', async () => {
  const path = '/operator/carriers/avlo/plan';
  const { status, body } = await ask('PUT', path, { fault: { kind: 'drip', share: 0.5 } });
  expect([status, body.fault]).toEqual([200, { kind: 'drip', share: 0.5 }]);
  await eventually(async () => {
    const avlo = (await stateOf(shared())).upstream?.find(({ id }) => id === 'avlo');
    expect(avlo?.plan).toMatchObject({ fault: { kind: 'drip' } });
  });
  const { events } = await stateOf(shared());
  expect(events.at(-1)).toMatchObject({
    ...{ kind: 'fault-set', severity: 'bad', carrier: 'avlo', mark: expect.any(Number) },
    ...{ text: 'Avlo set to drip', detail: 'share 50 %' },
  });
  expect((await ask('PUT', path, { fault: null })).body.fault).toBeNull();
  const wrong = await ask('PUT', path, { fault: { kind: 'rain' } });
  expect([wrong.status, wrong.type]).toEqual([400, 'application/problem+json']);
  expect(wrong.body.detail).toContain('rain');
  expect((await ask('PUT', '/operator/carriers/sncf/plan', {})).status).toBe(404);
  const more = await ask('PUT', path, { colour: 'red' });
  expect([more.status, more.body.parameter]).toEqual([400, 'colour']);
});

test('--carriers-url: no plan can be changed, and nothing upstream is asked', async () => {
  const other = await serveDemo('--carriers-url', shared().carriersUrl);
  const { status, body } = await getFrom(`${other.url}/operator/carriers/avlo/plan`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', origin: other.url },
    body: '{}',
  });
  expect([status, body.detail]).toEqual([409, expect.stringContaining('--carriers-url')]);
  expect(await stateOf(other)).not.toHaveProperty('upstream');
});

test('a task worker can be killed, and has a successor; the process that serves cannot', async () => {
  const before = (await stateOf(shared())).processes;
  expect(before.map(({ id, kind }) => [id, kind])).toEqual([
    ['server-0', 'server'],
    ['server-0/task-0', 'task'],
  ]);
  const kill = (id: string) =>
    ask('POST', `/operator/processes/${encodeURIComponent(id)}/kill`, {});
  const { status, body } = await kill('server-0/task-0');
  expect([status, body]).toEqual([200, { id: 'server-0/task-0', pid: before[1]?.pid }]);
  await eventually(async () => {
    const { processes, events } = await stateOf(shared());
    expect(processes[1]).toMatchObject({ id: 'server-0/task-0', state: 'ready' });
    expect(processes[1]?.pid).not.toBe(before[1]?.pid);
    const told = events.filter((event) => event.process === 'server-0/task-0');
    expect(told.map(({ kind, severity, text }) => [kind, severity, text])).toEqual([
      ['killed', 'bad', 'server-0/task-0 killed'],
      ['worker-ready', 'note', 'server-0/task-0 is ready'],
    ]);
  });
  const alone = await kill('server-0');
  expect([alone.status, alone.body.detail]).toEqual([409, expect.stringContaining('server-0')]);
  expect((await kill('1')).body.detail).toContain('there are server-0, server-0/task-0');
});

test('a load is bounded, and runs one at a time', async () => {
  const order = { perSecond: 50, seconds: 1, path: '/healthz' };
  expect((await ask('POST', '/operator/load', order)).body).toMatchObject({ isRunning: true });
  const second = await ask('POST', '/operator/load', order);
  expect([second.status, second.body.detail]).toEqual([409, expect.stringContaining('one at a')]);
  await eventually(async () =>
    expect((await stateOf(shared())).load).toMatchObject({
      isRunning: false,
      sent: 50,
      answers: { 200: 50 },
    }),
  );
  const { events } = await stateOf(shared());
  expect(events.slice(-2)).toMatchObject([
    { kind: 'load-started', text: 'Load started', detail: '50/s for 1 s, /healthz' },
    { kind: 'load-ended', text: 'Load ended', detail: '50 × HTTP 200' },
  ]);
  for (const wrong of [
    { perSecond: 51 },
    { seconds: 121 },
    { path: '/operator/reload' },
    { x: 1 },
  ]) {
    expect((await ask('POST', '/operator/load', { ...order, ...wrong })).status).toBe(400);
  }
});

const HOST = '127.0.0.1:3000';
const well = { host: HOST, origin: `http://${HOST}`, 'content-type': 'application/json' };

test.each([
  ['no origin', { origin: undefined }, 'Origin'],
  ['another origin', { origin: 'http://evil.test' }, 'Origin'],
  ['an origin on another port', { origin: 'http://127.0.0.1:3001' }, 'Origin'],
  ['a sandboxed page', { origin: 'null' }, 'Origin'],
  ['a page elsewhere', { 'sec-fetch-site': 'cross-site' }, 'Sec-Fetch-Site'],
  ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 'Sec-Fetch-Site'],
  ['a rebound name', { host: 'evil.test:3000', origin: 'http://evil.test:3000' }, 'Host'],
  [
    'a name like localhost',
    { host: 'localhost.evil.test', origin: 'http://localhost.evil.test' },
    'Host',
  ],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'Content-Type'],
  ['a form of text', { 'content-type': 'text/plain; application/json' }, 'Content-Type'],
  ['no type', { 'content-type': undefined }, 'Content-Type'],
])('a control is refused: %s', (_, headers, name) => {
  const flags = { operator: 'on', host: '127.0.0.1' } as const;
  const guard = () => guardControls({ headers: { ...well, ...headers } }, flags);
  expect(guard).toThrow(new RegExp(`^${name} must be`));
});

test.each([
  [well],
  [{ ...well, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json; charset=utf-8' }],
  [{ ...well, host: 'localhost:3000', origin: 'http://localhost:3000' }],
  [{ ...well, host: '[::1]:3000', origin: 'http://[::1]:3000' }],
  [{ ...well, host: '192.168.1.7', origin: 'https://192.168.1.7' }],
  [{ ...well, host: 'demo.test:3000', origin: 'http://demo.test:3000' }],
  [{ ...well, host: 'proxy.test', origin: 'https://proxy.test' }],
])('a control is taken from a page of this server: %j', (headers) => {
  guardControls({ headers }, { operator: 'on', host: 'demo.test', allowedHosts: ['proxy.test'] });
});

test('the routes guard themselves, and answer with the reason', async () => {
  const path = '/operator/processes/server-0%2Ftask-0/kill';
  const refused = await ask('POST', path, {}, { origin: 'http://evil.test' });
  expect([refused.status, refused.type]).toEqual([403, 'application/problem+json']);
  expect(refused.body.detail).toContain('http://evil.test');
  expect((await ask('POST', '/operator/reload', {}, { 'content-type': 'text/plain' })).status).toBe(
    415,
  );
  // A name that was bound to this address: `fetch` sets Host by itself.
  const { hostname, port } = new URL(shared().url);
  const headers = {
    host: 'evil.test',
    origin: 'http://evil.test',
    'content-type': 'application/json',
  };
  const status = await new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path, method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('error', reject).end('{}');
  });
  expect(status).toBe(403);
});

test('--operator: controls are for this machine, unless they are asked for', async () => {
  const operatorOf = (...argv: string[]) => readFlags(argv, {}).flags.operator;
  expect(operatorOf()).toBe('on');
  expect(['localhost', '::1', '127.0.0.2'].map((host) => operatorOf('--host', host))).toEqual([
    ...['on', 'on', 'on'],
  ]);
  expect(operatorOf('--host', '0.0.0.0')).toBe('read');
  expect(operatorOf('--host', '0.0.0.0', '--operator', 'on')).toBe('on');
  expect(operatorOf('--operator', 'off')).toBe('off');
  expect(() => guardControls({ headers: well }, { operator: 'read', host: HOST })).toThrow(
    'Controls need --operator on, got read',
  );
  const off = await serveDemo('--operator', 'off');
  for (const path of ['/operator', '/operator/state', '/operator/history', '/operator/events']) {
    expect((await off.get(path)).status).toBe(404);
  }
});

test('/operator has the controls that it may use', async () => {
  const pageOf = async (...argv: string[]): Promise<string> => {
    const { status, type, body } = await (await serveDemo(...argv)).get('/operator');
    expect([status, type]).toEqual([200, 'text/html']);
    return body;
  };
  const has = (page: string) =>
    ['id="plan"', 'id="load"', 'id="reload"', 'id="router"'].map((part) => page.includes(part));
  expect(has((await shared().get('/operator')).body)).toEqual([true, true, true, false]);
  const read = await pageOf('--operator', 'read');
  expect([...has(read), read.includes('--operator on')]).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
  const { carriersUrl } = shared();
  expect(has(await pageOf('--carriers-url', carriersUrl))).toEqual([false, true, true, false]);
});
