import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { getAvlo } from './call-wires.ts';
import { date, startedSim } from './started-sim.ts';

/** Returns an answer as it is on the wire. */
async function raw(url: string, accepts?: string, init: { method?: string; body?: string } = {}) {
  return new Promise<{ coding: string | undefined; vary: string | undefined; bytes: Buffer }>(
    (resolve, reject) => {
      const headers = accepts === undefined ? {} : { 'accept-encoding': accepts };
      const { method = 'GET', body } = init;
      request(url, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        const { 'content-encoding': coding, vary } = response.headers;
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => resolve({ coding, vary, bytes: Buffer.concat(chunks) }));
      })
        .once('error', reject)
        .end(body);
    },
  );
}

async function started(plan = {}) {
  const sim = await startedSim({ plan });
  const plain = Buffer.from(await (await getAvlo(sim.url, date)).arrayBuffer());
  return { sim, plain, url: `${sim.url}/avlo/timetable/${date}.json` };
}

test.each([
  ['gzip, br', 'gzip', gunzipSync],
  ['br', 'br', brotliDecompressSync],
  ['GZIP;q=0, br;q=0.5', 'br', brotliDecompressSync],
  ['deflate, gzip', 'gzip', gunzipSync],
])('a client that takes %s gets %s', async (accepts, coding, decode) => {
  const { plain, url } = await started();
  const answer = await raw(url, accepts);
  expect(answer).toMatchObject({ coding, vary: 'accept-encoding' });
  expect(answer.bytes.length).toBeLessThan(plain.length / 4);
  expect(decode(answer.bytes).equals(plain)).toBe(true);
});

test.each([undefined, 'identity', 'gzip;q=0, br;q=0.0', 'zstd', '*'])(
  'a client that takes %s gets the body as it is',
  async (accepts) => {
    const { plain, url } = await started();
    const { coding, bytes } = await raw(url, accepts);
    expect([coding, bytes.equals(plain)]).toEqual([undefined, true]);
  },
);

test('a short body is sent as it is', async () => {
  const { url } = await started({ avlo: { journeys: 0 } });
  expect(await raw(url, 'gzip')).toMatchObject({ coding: undefined, bytes: Buffer.from('[]') });
});

test('a carrier of your own answers what it returns, whatever the client accepts', async () => {
  const sim = await startedSim({ carriers: { night: () => ({ body: 'x'.repeat(5000) }) } });
  expect(await raw(`${sim.url}/night`, 'gzip')).toMatchObject({ coding: undefined });
});

test('faults of codings are what their names are, whatever the client takes', async () => {
  const { sim, plain, url } = await started();
  const faulty = (
    kind: 'half-encoded' | 'wrong-encoding' | 'unknown-encoding' | 'unasked-encoding',
  ) => {
    sim.setPlan('avlo', { fault: { kind } });
    return raw(url, 'identity');
  };
  const half = await faulty('half-encoded');
  expect(half.coding).toBe('gzip');
  expect(() => gunzipSync(half.bytes)).toThrow('unexpected end of file');
  expect(await faulty('wrong-encoding')).toMatchObject({ coding: 'gzip', bytes: plain });
  expect(await faulty('unknown-encoding')).toMatchObject({ coding: 'x-press', bytes: plain });
  const unasked = await faulty('unasked-encoding');
  expect(unasked.coding).toBe('deflate');
  expect(inflateSync(unasked.bytes).equals(plain)).toBe(true);
});

test('truncated is half of the body, and whole gzip', async () => {
  const { sim, plain, url } = await started();
  sim.setPlan('avlo', { fault: { kind: 'truncated' } });
  const { bytes } = await raw(url, 'gzip');
  expect(gunzipSync(bytes).equals(plain.subarray(0, plain.length / 2))).toBe(true);
});
