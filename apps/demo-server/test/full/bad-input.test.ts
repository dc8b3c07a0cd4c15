import { expect, test } from 'vitest';
import { exchange, MADRID_BARCELONA, sharedServer, TODAY as today } from '../demo.ts';

type Case = [path: string, parameter: string, expected: RegExp];

const yesterday = '2026-11-19';

const shared = sharedServer('--latency', '0');

test('bad input is 400 problem+json that names the parameter', async () => {
  const { get } = shared();
  const cases: Case[] = [
    ['/search?origin=Atlantis&destination=Barcelona', 'origin', /a known station/],
    ['/search?origin=Madrid&destination=Atlantis', 'destination', /a known station/],
    ['/search?origin=San&destination=Barcelona', 'origin', /the name of one station/],
    ['/search?origin=Madrid&destination=madrid', 'destination', /other than the origin/],
    ['/search?origin=&destination=Barcelona', 'origin', /characters/],
    ['/search?origin=%20&destination=Barcelona', 'origin', /a known station/],
    ['/search?destination=Barcelona', 'origin', /given/],
    ['/search?origin=Madrid', 'destination', /given/],
    ['/search', 'origin', /given/],
    [`${MADRID_BARCELONA}&origin=Sevilla`, 'origin', /given once/],
    [`${MADRID_BARCELONA}&date=${today}&date=${today}`, 'date', /given once/],
    [`${MADRID_BARCELONA}&date=${yesterday}`, 'date', /a day from/],
    [`${MADRID_BARCELONA}&date=2999-01-01`, 'date', /a day of the calendar/],
    [`${MADRID_BARCELONA}&date=tomorrow`, 'date', /a day of the calendar/],
    [`${MADRID_BARCELONA}&date=2027-02-29`, 'date', /a day of the calendar/],
    [`${MADRID_BARCELONA}&date="${today}"`, 'date', /a day of the calendar/],
    [`${MADRID_BARCELONA}&date=`, 'date', /a day of the calendar/],
    [`${MADRID_BARCELONA}&passengers=0`, 'passengers', />= 1/],
    ...['two', '', '0x1', '1e0', '+1', '%2B1', '01', '9.0', '%201', '1%20', '1_0', '١'].map(
      (text) => [`${MADRID_BARCELONA}&passengers=${text}`, 'passengers', /integer/] as Case,
    ),
    [`${MADRID_BARCELONA}&passengers=-1`, 'passengers', />= 1/],
    ['/compute?ms=1e3', 'ms', /integer/],
    [`${MADRID_BARCELONA}&order=beauty`, 'order', /allowed/],
    [`${MADRID_BARCELONA}&carriers=`, 'carriers', /some of renfe, ouigo, avlo/],
    [`${MADRID_BARCELONA}&carriers=renfe,`, 'carriers', /some of/],
    [`${MADRID_BARCELONA}&carriers=renfe,trenitalia`, 'carriers', /some of/],
    [`${MADRID_BARCELONA}&carriers=renfe&carriers=avlo`, 'carriers', /given once/],
    [`${MADRID_BARCELONA}&carriers=${'renfe,'.repeat(100)}`, 'carriers', /200 characters/],
    [`${MADRID_BARCELONA}&colour=red`, 'colour', /a parameter of/],
    [`${MADRID_BARCELONA}&class=third`, 'class', /allowed/],
    [`${MADRID_BARCELONA}&class=any`, 'class', /allowed/],
    [`${MADRID_BARCELONA}&time=8:30`, 'time', /a time of day as HH:MM/],
    [`${MADRID_BARCELONA}&time=24:00`, 'time', /a time of day as HH:MM/],
    [`${MADRID_BARCELONA}&time=`, 'time', /a time of day as HH:MM/],
    [`${MADRID_BARCELONA}&arriveBy=1`, 'time', /given with/],
    [`${MADRID_BARCELONA}&time=08:30&arriveBy=yes`, 'arriveBy', /allowed/],
    [`${MADRID_BARCELONA}&via=Atlantis`, 'via', /a known station/],
    [`${MADRID_BARCELONA}&via=Madrid`, 'via', /a station other than the ends/],
    [`${MADRID_BARCELONA}&maxTransfers=9`, 'maxTransfers', /<= 8/],
    [`${MADRID_BARCELONA}&maxTransfers=-1`, 'maxTransfers', />= 0/],
    [`${MADRID_BARCELONA}&maxTransfers=none`, 'maxTransfers', /integer/],
    [`${MADRID_BARCELONA}&ages=35,x`, 'ages', /whole years/],
    [`${MADRID_BARCELONA}&ages=35,-8`, 'ages', /whole years/],
    [`${MADRID_BARCELONA}&ages=121`, 'passengers[0].age', /0 to 120/],
    [`${MADRID_BARCELONA}&ages=35,8&passengers=3`, 'ages', /as many as passengers, 3/],
    [`${MADRID_BARCELONA}&ages=${'1,'.repeat(9)}`, 'passengers', /1 to 9/],
    [`${MADRID_BARCELONA}&ages=${'1,'.repeat(50)}`, 'ages', /40 characters/],
    [`${MADRID_BARCELONA}&ages=35,8&cards=BC50`, 'cards', /as many as passengers, 2/],
    [`${MADRID_BARCELONA}&cards=${'x'.repeat(41)}`, 'passengers[0].cards', /1 to 40 characters/],
    [`${MADRID_BARCELONA}&maxPrice=cheap`, 'maxPrice', /an amount such as/],
    [`${MADRID_BARCELONA}&maxPrice=-1`, 'maxPrice', /an amount such as/],
    [`${MADRID_BARCELONA}&maxPrice=1.005`, 'maxPrice', /an amount such as/],
    [`${MADRID_BARCELONA}&maxPrice=5%20euros`, 'maxPrice', /an amount such as/],
    [`${MADRID_BARCELONA}&departAfter=noon`, 'departAfter', /a time of day as HH:MM/],
    [`${MADRID_BARCELONA}&departBefore=25:00`, 'departBefore', /a time of day as HH:MM/],
    [`${MADRID_BARCELONA}&arriveBefore=7`, 'arriveBefore', /a time of day as HH:MM/],
    [`${MADRID_BARCELONA}&direct=yes`, 'direct', /allowed/],
    [`${MADRID_BARCELONA}&flexible=`, 'flexible', /allowed/],
    [`${MADRID_BARCELONA}&facets=2`, 'facets', /allowed/],
    [`${MADRID_BARCELONA}&page=`, 'page', /one of the pages of an answer/],
    [`${MADRID_BARCELONA}&page=e30.e30`, 'page', /one of the pages of an answer/],
    [`${MADRID_BARCELONA}&page=${'x'.repeat(12_001)}`, 'page', /12000 characters/],
    [`/search?destination=Barcelona&origin=${'x'.repeat(10_000)}`, 'origin', /100 characters/],
    [`${MADRID_BARCELONA}&date=${'9'.repeat(10_000)}`, 'date', /40 characters/],
    [`${MADRID_BARCELONA}&${'x'.repeat(10_000)}=1`, 'x'.repeat(100), /a parameter of/],
  ];
  for (const [path, parameter, expected] of cases) {
    const { status, type, body } = await get(path);
    expect({ status, type, parameter: body.parameter }, path.slice(0, 200)).toEqual({
      status: 400,
      type: 'application/problem+json',
      parameter,
    });
    expect(body.expected, path.slice(0, 200)).toMatch(expected);
    expect(body.detail.length).toBeLessThan(500);
  }
});

test('an unknown station comes with the nearest names, an ambiguous one with those it may mean', async () => {
  const { get } = shared();
  const unknown = await get('/search?origin=Madird&destination=Barcelona');
  expect(unknown.body.nearest[0]).toMatchObject({ id: 'city:es:madrid' });
  const ambiguous = await get('/search?origin=san&destination=Barcelona');
  const names = ambiguous.body.nearest.map(({ name }: { name: string }) => name);
  expect(names.length).toBeGreaterThan(1);
});

test('bytes that are no request, and paths that are none, are problems too', async () => {
  const { get, url } = shared();
  expect(await get('/nowhere')).toMatchObject({ status: 404, type: 'application/problem+json' });
  expect(await get('/%ff')).toMatchObject({ status: 400, type: 'application/problem+json' });
  const huge = `${MADRID_BARCELONA}&date=${'9'.repeat(20_000)}`;
  expect(await get(huge)).toMatchObject({ status: 431, type: 'application/problem+json' });
  expect(await exchange(url, 'hello\r\n\r\n')).toMatch(
    /^HTTP\/1.1 400 Bad request\r\n(.*\r\n)*\r\n\{.*HPE_INVALID/,
  );
});

test.each([
  ['GET /healthz HTTP/1.1', 400, /one Host header, got none/],
  ['GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b', 400, /one Host header, got 2/],
  ['GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 200-ok', 417, /100-continue, got 200-ok/],
])('%j is %i problem+json', async (head, status, detail) => {
  const { url } = shared();
  const answer = await exchange(url, `${head}\r\nConnection: close\r\n\r\n`);
  const [start = '', body = ''] = answer.split('\r\n\r\n');
  expect(start).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(start).toMatch(/^content-type: application\/problem\+json/im);
  expect(JSON.parse(body)).toMatchObject({ status, detail: expect.stringMatching(detail) });
});

test('HTTP/1.0 needs no Host', async () => {
  const { url } = shared();
  expect(await exchange(url, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
});

test('a method that a path does not have is 405 with the methods of the path', async () => {
  const { get } = shared();
  const cases = [
    ['POST', MADRID_BARCELONA, 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/search', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/api/v1/worms/utilize', 'GET, HEAD, OPTIONS'],
    ['GET', '/sink', 'OPTIONS, POST'],
    ['PUT', '/sink', 'OPTIONS, POST'],
    ['PATCH', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ] as const;
  for (const [method, path, allow] of cases) {
    const body = ['PUT', 'POST', 'PATCH'].includes(method) ? { body: '{' } : {};
    const headers = { 'content-type': 'application/json' };
    const answer = await get(path, { method, headers, ...body });
    expect(answer, `${method} ${path}`).toMatchObject({
      status: 405,
      type: 'application/problem+json',
      body: { status: 405, detail: `${path.split('?')[0]} takes ${allow}, got ${method}` },
    });
    expect(answer.headers.get('allow')).toBe(allow);
  }
  expect(await get('/nowhere', { method: 'POST' })).toMatchObject({ status: 404 });
});

test('OPTIONS is 204 with the methods of the path', async () => {
  const { get } = shared();
  for (const [path, allow] of [
    ['/search', 'GET, HEAD, OPTIONS'],
    ['/sink', 'OPTIONS, POST'],
    ['/', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const { status, headers, body } = await get(path, { method: 'OPTIONS' });
    expect([status, headers.get('allow'), body], path).toEqual([204, allow, '']);
  }
  expect(await get('/nowhere', { method: 'OPTIONS' })).toMatchObject({ status: 404 });
});

test('a missing or unknown parameter or path points to the page of the API', async () => {
  const { get } = shared();
  for (const path of ['/search', `${MADRID_BARCELONA}&colour=red`, '/nowhere']) {
    expect((await get(path)).body, path).toMatchObject({ see: '/docs' });
  }
  expect((await get(`${MADRID_BARCELONA}&date=never`)).body).not.toHaveProperty('see');
});

test.each([
  ['/serch?origin=Madrid', '/search', 'Ask every carrier for the trains of one day'],
  ['/Stats', '/stats', expect.any(String)],
  ['/api/v1/worm/utilize', '/api/v1/worms/utilize', expect.any(String)],
  ['/openapi', '/openapi.json', expect.any(String)],
])('%s is 404 with the nearest route: %s', async (path, id, name) => {
  const { get } = shared();
  const { status, body } = await get(path);
  expect([status, body.nearest]).toEqual([404, [{ id, name }]]);
  expect(body.detail).toBe(`No route GET ${path}; did you mean ${id}?`);
});

test('a browser gets a page for an unknown path, with the form; programs get the problem', async () => {
  const { get } = shared();
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const page = await get('/serch?text=<sent>', { headers: { accept } });
  expect(page).toMatchObject({ status: 404, type: 'text/html' });
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.body).toContain('<a href="/search">/search</a>');
  expect(page.body).toMatch(/<form id="search" [^>]*action="\/" method="get"/);
  expect(page.body).not.toContain('<script');
  expect(page.body).not.toContain('<sent');
  const problem = { status: 404, type: 'application/problem+json' };
  expect(await get('/serch')).toMatchObject(problem);
  expect(await get('/serch', { method: 'POST', headers: { accept } })).toMatchObject(problem);
  const { body } = await get('/nowhere/at/all');
  expect(body.detail).toBe('No route GET /nowhere/at/all');
  expect(body).not.toHaveProperty('nearest');
});

test('/favicon.ico is the icon of the pages', async () => {
  const { get } = shared();
  expect(await get('/favicon.ico')).toMatchObject({ status: 200, type: 'image/svg+xml' });
});
