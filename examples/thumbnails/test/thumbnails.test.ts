import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createAdmission } from '@ticketing/admission';
import type { PoolOptions } from '@ticketing/dispatch';
import { createForkDispatcher } from '@ticketing/dispatch-fork';
import { createPiscinaDispatcher } from '@ticketing/dispatch-piscina';
import { PNG } from 'pngjs';
import { createImageAdmission } from '../src/image-admission.ts';
import { createServer } from '../src/server.ts';

type Service = typeof import('../src/tasks.ts');
const tasks = new URL('../src/tasks.js', import.meta.url);
const stuckTasks = new URL('./stuck-tasks.js', import.meta.url);

/** An image, red above and blue below. */
function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const image = new PNG({ width, height });
  for (let at = 0; at < width * height; at++) {
    image.data.set(at < (width * height) / 2 ? [255, 0, 0, 255] : [0, 0, 255, 255], at * 4);
  }
  return new Uint8Array(PNG.sync.write(image));
}

const kinds = {
  threads: (options: PoolOptions, module: URL) => createPiscinaDispatcher<Service>(module, options),
  children: (options: PoolOptions, module: URL) => createForkDispatcher<Service>(module, options),
};

for (const [kind, createDispatcher] of Object.entries(kinds)) {
  async function start(t: TestContext, module: URL, admitted = createImageAdmission) {
    const images = createDispatcher({ max: 1, window: 1, maxQueue: 2, abortGraceMs: 100 }, module);
    const server = createServer(images, admitted(images));
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    t.after(async () => {
      server.server.closeAllConnections();
      await server.close();
      await images.close();
    });
    const post = (path: string, body: BodyInit, plan = 'free', signal?: AbortSignal) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'image/png', 'x-plan': plan },
        body,
        signal: signal ?? null,
      });
    const limit = async (maxWidth: number) => {
      const response = await fetch(`${url}/limits`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ maxWidth }),
      });
      return response.json();
    };
    return { images, post, limit };
  }

  test(`${kind}: a thumbnail has the wanted width and the colours of the image`, async (t) => {
    const { post } = await start(t, tasks);
    const response = await post('/thumbnail?width=20', png(200, 100));
    assert.equal(response.headers.get('content-type'), 'image/png');
    const small = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
    assert.deepEqual([small.width, small.height], [20, 10]);
    assert.deepEqual([...small.data.subarray(0, 4)], [255, 0, 0, 255]);
    assert.deepEqual([...small.data.subarray(-4)], [0, 0, 255, 255]);
  });

  test(`${kind}: bytes are moved where the workers share memory with the server, else copied`, async (t) => {
    const { images } = await start(t, tasks);
    const { buffer } = png(50, 50);
    const small = await images.run('thumbnail', { png: buffer, width: 5 }, { transfer: [buffer] });
    assert.equal(PNG.sync.read(Buffer.from(small)).width, 5);
    assert.equal(images.capabilities.transfer, kind === 'threads');
    assert.equal(buffer.byteLength === 0, images.capabilities.transfer);
  });

  test(`${kind}: a description is preceded by reports of how far it is`, async (t) => {
    const { post } = await start(t, tasks);
    const response = await post('/description?name=flag', png(10, 200));
    const lines = (await response.text()).split('\n').map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(lines, [
      ...[64, 128, 192, 200].map((rows) => ({ rows, of: 200 })),
      { name: 'flag', width: 10, height: 200, mean: [128, 0, 128, 255] },
    ]);
  });

  test(`${kind}: what is no image fails alone`, async (t) => {
    const { post } = await start(t, tasks);
    const refused = await post('/thumbnail', 'no image');
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /The upload is no PNG/);
    assert.equal((await post('/thumbnail', png(2, 2))).status, 200);
  });

  test(`${kind}: a limit holds in every worker, also in the successor of one that was killed`, async (t) => {
    const { images, post, limit } = await start(t, stuckTasks);
    const widthOf = async () => {
      const response = await post('/thumbnail?width=20', png(200, 100));
      return PNG.sync.read(Buffer.from(await response.arrayBuffer())).width;
    };
    await images.ready();
    assert.equal(await widthOf(), 20);
    assert.deepEqual(await limit(5), { workers: 1 });
    assert.equal(await widthOf(), 5);
    const leaving = new AbortController();
    const stuck = await post('/description', png(2, 2), 'free', leaving.signal);
    await stuck.body?.getReader().read();
    leaving.abort();
    assert.equal(await widthOf(), 5);
    assert.equal(images.stats().killed, 1);
  });

  test(`${kind}: a worker that is stuck is killed when its client leaves; paying customers go next`, async (t) => {
    const { images, post } = await start(t, stuckTasks);
    const leaving = new AbortController();
    const stuck = await post('/description', png(2, 2), 'free', leaving.signal);
    const reader = stuck.body?.getReader();
    await reader?.read();

    const answered: string[] = [];
    const small = async (plan: string) => {
      const response = await post('/thumbnail?width=1', png(2, 2), plan);
      answered.push(`${plan} ${response.status}`);
    };
    /** Resolves when so many wait; a request that is answered meanwhile fails the test. */
    const waiting = async (count: number) => {
      for (; images.stats().queued < count; await turn()) assert.deepEqual(answered, []);
    };
    const free = small('free');
    await waiting(1);
    const pro = small('pro');
    await waiting(2);
    assert.equal((await post('/thumbnail', png(2, 2))).status, 503);

    leaving.abort();
    await Promise.all([free, pro]);
    assert.deepEqual(answered, ['pro 200', 'free 200']);
    assert.equal(images.stats().killed, 1);
  });

  test(`${kind}: an upload that has waited for half of the deadline is refused; the limit of sizes is still set`, async (t) => {
    const { post, limit } = await start(t, stuckTasks, () =>
      createAdmission({ deadlineMs: 1000, maxInFlight: 1 }),
    );
    const leaving = new AbortController();
    const stuck = await post('/description', png(2, 2), 'free', leaving.signal);
    await stuck.body?.getReader().read();
    const refused = await post('/thumbnail', png(2, 2));
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '1');
    leaving.abort();
    // The worker is being replaced meanwhile.
    assert.deepEqual(Object.keys((await limit(5)) as object), ['workers']);
  });
}
