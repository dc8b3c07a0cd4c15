import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type BodyAnswer,
  createSharedBodies,
  type SharedBodies,
  type SharedBodiesOptions,
} from '../src/http/index.ts';

const text = (length: number, letter = 'a'): Uint8Array => Buffer.alloc(length, letter);
const request = (accept?: string, headers: Record<string, string> = {}, method = 'GET') => ({
  method,
  headers: { ...headers, ...(accept !== undefined && { 'accept-encoding': accept }) },
});

/** Encodings that end as the test says. */
function held(options: SharedBodiesOptions = {}) {
  const calls: {
    encoding: string;
    body: Uint8Array;
    end: (bytes?: Uint8Array) => void;
    fail: () => void;
  }[] = [];
  const bodies = createSharedBodies({
    encodings: ['br', 'gzip'],
    minBytes: 1,
    encode: (encoding, body) =>
      new Promise((resolve, reject) => {
        const half = body.slice(0, body.length / 2);
        calls.push({
          encoding,
          body,
          end: (bytes = half) => resolve(bytes),
          fail: () => reject(new Error('no memory')),
        });
      }),
    ...options,
  });
  return { bodies, calls };
}

/** Encodes at once: half of the bytes. */
const halving = (options: SharedBodiesOptions = {}): SharedBodies =>
  createSharedBodies({
    encodings: ['br', 'gzip'],
    minBytes: 1,
    encode: async (_, body) => body.slice(0, body.length / 2),
    ...options,
  });

test('a body is encoded once for each coding, however many ask before and after', async () => {
  const { bodies, calls } = held();
  const body = text(100);
  const asked = Array.from({ length: 50 }, (_, index) =>
    bodies.answer(request(index % 2 === 0 ? 'br' : 'gzip'), { body }),
  );
  await turn();
  expect(calls.map(({ encoding }) => encoding)).toEqual(['br', 'gzip']);
  expect(bodies.stats()).toMatchObject({ asked: 50, encoded: 0, inFlight: 2, queued: 0 });
  for (const call of calls) call.end();
  const answers = [...(await Promise.all(asked)), await bodies.answer(request('br'), { body })];
  expect(new Set(answers.map((one) => one.body)).size).toBe(2);
  expect(answers[0]).toEqual({
    status: 200,
    headers: {
      vary: 'accept-encoding',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      'content-encoding': 'br',
    },
    body: body.slice(0, 50),
  });
  expect(calls).toHaveLength(2);
  expect(bodies.stats()).toEqual({
    ...{ asked: 51, encoded: 51, unchanged: 0, left: 0, compressed: 2, failed: 0, overflowed: 0 },
    ...{ bytesIn: 200, bytesOut: 100, inFlight: 0, queued: 0, kept: 2, keptBytes: 100 },
  });
});

test('equal bytes in another object are another body, with the same tag', async () => {
  const bodies = halving();
  const answers = [
    await bodies.answer(request('br'), { body: text(100) }),
    await bodies.answer(request('br'), { body: text(100) }),
    await bodies.answer(request('br'), { body: text(100, 'b') }),
  ];
  expect(bodies.stats().compressed).toBe(3);
  expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(2);
});

test('sent as it is: short, encoded already, partial, no-transform, and what does not shrink', async () => {
  const bodies = halving({ minBytes: 100 });
  const plain = async (body: Uint8Array, headers: Record<string, string> = {}) => {
    const answer = await bodies.answer(request('br'), { body, headers });
    expect(answer.body).toBe(body);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    return answer.headers;
  };
  expect(await plain(text(99))).toMatchObject({ vary: 'accept-encoding' });
  for (const headers of [
    { 'content-encoding': 'gzip' },
    { 'content-range': 'bytes 0-99/200' },
    { 'cache-control': 'public, No-Transform' },
  ]) {
    expect(await plain(text(100), headers)).not.toHaveProperty('vary');
  }
  const same = createSharedBodies({ minBytes: 1, encode: async (_, body) => body.slice() });
  const body = text(10);
  for (let time = 0; time < 3; time += 1) {
    expect((await same.answer(request('br'), { body })).body).toBe(body);
  }
  expect(same.stats()).toMatchObject({ compressed: 1, encoded: 0, kept: 0 });
});

test('a body is sent as it is if its encoding fails, also by a throw or by no bytes', async () => {
  const throwing = (): never => {
    throw new Error('wrong');
  };
  for (const encode of [
    () => Promise.reject(new Error('no memory')),
    throwing,
    async () => 'text' as never,
  ]) {
    const bodies = halving({ encode });
    const body = text(10);
    const answers = await Promise.all([1, 2].map(() => bodies.answer(request('br'), { body })));
    expect(answers.map((one) => one.body)).toEqual([body, body]);
    expect((await bodies.answer(request('br'), { body })).body).toBe(body);
    expect(bodies.stats()).toMatchObject({ failed: 1, compressed: 0, encoded: 0, inFlight: 0 });
  }
});

test('If-None-Match is answered with 304 for GET and HEAD, without an encoding', async () => {
  const { bodies, calls } = held();
  const body = text(100);
  const ask = (tag: string, { method = 'GET', status = 200, headers = {} } = {}) =>
    bodies.answer(request('br', { 'if-none-match': tag }, method), { body, status, headers });
  const { headers } = await bodies.answer(request(), { body });
  const etag = headers['etag'] ?? '';
  const unchanged = { status: 304, headers: { vary: 'accept-encoding', etag }, body: undefined };
  for (const tag of [etag, etag.slice(2), `"other, one", ${etag}`, ' * ']) {
    expect(await ask(tag)).toEqual(unchanged);
    expect(await ask(tag, { method: 'HEAD' })).toEqual(unchanged);
  }
  expect(calls).toEqual([]);
  expect(bodies.stats().unchanged).toBe(8);
  for (const asked of [
    ask('"other"'),
    ask(etag.slice(3, -1)),
    ask(etag, { method: 'POST' }),
    ask(etag, { status: 404 }),
    ask(etag, { headers: { 'cache-control': 'no-store' } }),
  ]) {
    await turn();
    calls.pop()?.end();
    expect((await asked).body).toBeDefined();
  }
});

test('the answer has the tag of its own headers, weak where the body is encoded', async () => {
  const bodies = halving();
  const headers = { etag: '"v1"' };
  const tagOf = async (accept?: string, tag?: string) => {
    const asked = request(accept, tag === undefined ? {} : { 'if-none-match': tag });
    const answer = await bodies.answer(asked, { body: text(100), headers });
    return [answer.status, answer.headers['etag']];
  };
  expect(await tagOf()).toEqual([200, '"v1"']);
  expect(await tagOf('br')).toEqual([200, 'W/"v1"']);
  expect(await tagOf('br', 'W/"v1"')).toEqual([304, 'W/"v1"']);
});

test('no-store has neither vary nor etag; etag: false has no tag and no 304', async () => {
  const bodies = halving();
  const headers = { 'cache-control': 'private, no-store' };
  const body = text(100);
  expect((await bodies.answer(request('br'), { body, headers })).headers).toEqual({
    'content-encoding': 'br',
  });
  const asked = request('gzip', { 'if-none-match': '*' });
  expect((await halving({ etag: false }).answer(asked, { body })).headers).toEqual({
    vary: 'accept-encoding',
    'content-encoding': 'gzip',
  });
});

test.each([
  [undefined, 'accept-encoding'],
  ['accept', 'accept, accept-encoding'],
  [['accept', 'origin'], 'accept,origin, accept-encoding'],
  ['Accept, Accept-Encoding', undefined],
  ['*', undefined],
  ['x-accept-encoding', 'x-accept-encoding, accept-encoding'],
])('vary %j becomes %j', async (vary, expected) => {
  const { headers } = await halving().answer(request(), { body: text(9), headers: { vary } });
  expect(headers['vary']).toBe(expected);
});

test('encodings begin in their order, at most `concurrency` at once; above `maxQueued` a body is sent as it is', async () => {
  const { bodies, calls } = held({ concurrency: 2, maxQueued: 2 });
  const all = [1, 2, 3, 4, 5].map((length) => text(length * 10));
  const asked = all.map((body) => bodies.answer(request('br'), { body }));
  await turn();
  expect(calls.map(({ body }) => body.length)).toEqual([10, 20]);
  expect(bodies.stats()).toMatchObject({ inFlight: 2, queued: 2, overflowed: 1 });
  expect((await asked[4])?.body).toBe(all[4]);
  for (let index = 0; index < 4; index += 1) {
    await turn();
    calls[index]?.end();
  }
  const lengths = (await Promise.all(asked)).map(({ body }) => body?.length);
  expect(lengths).toEqual([5, 10, 15, 20, 50]);
  expect(calls.map(({ body }) => body.length)).toEqual([10, 20, 30, 40]);
  expect(bodies.stats()).toMatchObject({ inFlight: 0, queued: 0, compressed: 4 });
});

test('a client that leaves rejects at once and affects no other; the last one takes a waiting encoding with it', async () => {
  const { bodies, calls } = held({ concurrency: 1 });
  const [first, second] = [text(10), text(20)];
  const [one, other, alone] = [new AbortController(), new AbortController(), new AbortController()];
  const ask = (body: Uint8Array, { signal }: AbortController) =>
    bodies.answer(request('br'), { body, signal });
  const [left, stays, queued] = [ask(first, one), ask(first, other), ask(second, alone)];
  await turn();
  one.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  alone.abort(new Error('alone'));
  await expect(queued).rejects.toThrow('alone');
  expect(bodies.stats()).toMatchObject({ left: 2, inFlight: 1, queued: 0 });
  const again = bodies.answer(request('br'), { body: second });
  calls[0]?.end();
  expect((await stays).body).toHaveLength(5);
  await turn();
  calls[1]?.end();
  expect((await again).body).toHaveLength(10);
  expect(calls).toHaveLength(2);
  await expect(ask(first, one)).rejects.toThrow('left');
});

test('the least recently used encoded bodies are dropped above `maxEncoded` and `maxBytes`, and encoded again', async () => {
  for (const bounds of [{ maxEncoded: 2 }, { maxBytes: 100 }]) {
    const bodies = halving(bounds);
    const [one, two, three] = [text(100), text(100), text(100)];
    const ask = (body: Uint8Array) => bodies.answer(request('br'), { body });
    await ask(one);
    await ask(two);
    await ask(one);
    await ask(three);
    expect(bodies.stats()).toMatchObject({ compressed: 3, kept: 2, keptBytes: 100 });
    await ask(one);
    expect(bodies.stats().compressed).toBe(3);
    await ask(two);
    expect(bodies.stats()).toMatchObject({ compressed: 4, kept: 2 });
  }
});

test('encoded bytes above `maxBytes` are sent, and not kept', async () => {
  const bodies = halving({ maxBytes: 10 });
  const body = text(100);
  for (let time = 1; time <= 2; time += 1) {
    expect((await bodies.answer(request('br'), { body })).body).toHaveLength(50);
    expect(bodies.stats()).toMatchObject({ compressed: time, kept: 0, keptBytes: 0 });
  }
});

test('random requests: bounds hold, and every answer decodes to its body', async () => {
  const step = fc.record({
    body: fc.nat(5),
    accept: fc.constantFrom('br', 'gzip', '', 'br;q=0.5, gzip'),
    leaves: fc.boolean(),
    ends: fc.nat(3),
  });
  const run = async (
    steps: readonly { body: number; accept: string; leaves: boolean; ends: number }[],
  ) => {
    const { bodies, calls } = held({ concurrency: 2, maxQueued: 3, maxEncoded: 3, maxBytes: 60 });
    const all = [10, 20, 30, 40, 50, 60].map((length) => text(length));
    const asked: Promise<BodyAnswer | undefined>[] = [];
    let begun = 0;
    for (const { body: index, accept, leaves, ends } of steps) {
      const body = all[index] as Uint8Array;
      const client = new AbortController();
      const answer = bodies.answer(request(accept), { body, signal: client.signal });
      const checked = answer.then(({ headers, body: got }) => {
        const isEncoded = headers['content-encoding'] !== undefined;
        expect(got?.length).toBe(isEncoded ? body.length / 2 : body.length);
        return undefined;
      });
      asked.push(
        leaves
          ? (checked.catch((error) => expect(error).toBe(client.signal.reason)) as never)
          : checked,
      );
      await turn();
      if (leaves) client.abort();
      for (let end = 0; end < ends && begun < calls.length; end += 1) calls[begun++]?.end();
      await turn();
      const { inFlight, queued, kept, keptBytes } = bodies.stats();
      expect(inFlight).toBeLessThanOrEqual(2);
      expect(queued).toBeLessThanOrEqual(3);
      expect(kept).toBeLessThanOrEqual(3);
      expect(keptBytes).toBeLessThanOrEqual(60);
    }
    while (begun < calls.length) {
      calls[begun++]?.end();
      await turn();
    }
    await Promise.all(asked);
    expect(bodies.stats()).toMatchObject({ inFlight: 0, queued: 0, asked: steps.length });
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), run), { numRuns: 60 });
});
