import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { MADRID_BARCELONA, serveDemo, TODAY as today } from './demo.ts';

const yesterday = '2026-11-19';

test('bad input is 400 problem+json that names the parameter', async () => {
  const { get } = await serveDemo('--latency', '0');
  const cases: [path: string, parameter: string, expected: RegExp][] = [
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
    [`${MADRID_BARCELONA}&passengers=two`, 'passengers', /integer/],
    [`${MADRID_BARCELONA}&order=beauty`, 'order', /allowed/],
    [`${MADRID_BARCELONA}&class=first`, 'class', /a parameter of/],
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
  const { get } = await serveDemo('--latency', '0');
  const unknown = await get('/search?origin=Madird&destination=Barcelona');
  expect(unknown.body.nearest[0]).toMatchObject({ id: 'uic:7160000' });
  const ambiguous = await get('/search?origin=san&destination=Barcelona');
  const names = ambiguous.body.nearest.map(({ name }: { name: string }) => name);
  expect(names.length).toBeGreaterThan(1);
});

test('bytes that are no request, and paths that are none, are problems too', async () => {
  const { get, url } = await serveDemo('--latency', '0');
  expect(await get('/nowhere')).toMatchObject({ status: 404, type: 'application/problem+json' });
  expect(await get('/%ff')).toMatchObject({ status: 400, type: 'application/problem+json' });
  const huge = `${MADRID_BARCELONA}&date=${'9'.repeat(20_000)}`;
  expect(await get(huge)).toMatchObject({ status: 431, type: 'application/problem+json' });
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write('hello\r\n\r\n'),
    );
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad request\r\n(.*\r\n)*\r\n\{.*HPE_INVALID/);
});
