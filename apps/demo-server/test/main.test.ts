import { startCarrierSim } from '@ticketing/carrier-sim';
import { describe, expect, onTestFinished, test } from 'vitest';
import { flagSpecs } from '../src/flags/flag-specs.ts';
import {
  eventually,
  getFrom,
  MADRID_BARCELONA,
  runDemo,
  serveDemo,
  sharedProcess,
} from './demo.ts';

describe('main', () => {
  const shared = sharedProcess('--log-requests', 'on', '--latency', '0', '--deadline-ms', '15000');

  test('prints its addresses, then the flags that are not defaults with their origin', () => {
    const output = shared().output();
    expect(output).toMatch(
      /^ticketing {2}(\S+)\/ +search +curl '\1\/search\?\S+'\noperator +\1\/operator +metrics +\1\/metrics\napi +\1\/docs +carriers +http:\S+\nprocesses {2}1 that serves\n\n--port/m,
    );
    expect(output).toMatch(/^--port +0 +--port$/m);
    expect(output).toMatch(/^--deadline-ms +15000 +--deadline-ms$/m);
    expect(output).toMatch(/^--worms +0 +WORMS$/m);
    expect(output).not.toMatch(/default$/m);
  });

  test('--log-requests on writes one line a request, with the pid', async () => {
    const demo = shared();
    const own = '&departAfter=00:01';
    await getFrom(`${demo.url}/healthz?${own}`);
    const { status, body } = await getFrom(demo.url + MADRID_BARCELONA + own);
    expect([status, body.complete]).toEqual([200, true]);
    await eventually(() => expect(demo.output()).toContain(`"url":"${MADRID_BARCELONA}${own}`));
    const lines = demo
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const requests = lines.filter(({ msg, url }) => msg === 'request' && url.includes(own));
    expect(requests).toMatchObject([
      { pid: demo.child.pid, method: 'GET', url: `/healthz?${own}`, status: 200 },
      { pid: demo.child.pid, method: 'GET', url: MADRID_BARCELONA + own, status: 200 },
    ]);
  });

  test('the search that it prints is from city to city, and finds journeys', async () => {
    const { url, output } = shared();
    const [, printed] = /curl '(\S+)'/.exec(output()) ?? [];
    expect(printed).toBe(`${url}/search?origin=Madrid&destination=Barcelona`);
    const { status, body } = await getFrom(printed ?? '');
    expect([status, body.complete]).toEqual([200, true]);
    expect(body.journeys.length).toBeGreaterThan(10);
  });
});

test('--carriers-url asks a simulator elsewhere', async () => {
  const sim = await startCarrierSim({ plan: { renfe: { latency: { kind: 'fixed', ms: 0 } } } });
  onTestFinished(() => sim.close());
  const { get } = await serveDemo('--carriers-url', `${sim.url}/`);
  expect((await get(MADRID_BARCELONA)).body.complete).toBe(true);
  expect(sim.requests().renfe.answered).toBe(4);
});

test('--help: each flag with its values and default, and exit code 0', async () => {
  const { code, stdout, stderr } = await runDemo(['--port', '70000', '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: npm run demo -- \[flags\]\n/);
  for (const { name, about, value } of Object.values(flagSpecs)) {
    expect(stdout).toMatch(new RegExp(`^--${name} `, 'm'));
    expect(stdout).toContain(about);
    expect(stdout).toContain(name === 'show-flags' ? about : `${value.expected}; default `);
  }
  expect(stdout).toMatch(/^ +an integer from 0 to 65535; default 3000$/m);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(121);
});
