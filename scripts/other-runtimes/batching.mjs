import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { coalesce, createBatcher, createCoalescer } from '@ticketing/batching';
import { DataLoader } from '@ticketing/batching/dataloader';
import { coalesceRoutes } from '@ticketing/batching/fastify';
import { createSharedBodies } from '@ticketing/batching/http';
import { createCoordinator, createMemoryStore, shareLoads } from '@ticketing/batching/shared';
import { createStreamCoalescer } from '@ticketing/batching/streams';
import { createRedisCoordinator } from '@ticketing/batching-redis';
import { fastify } from 'fastify';
import { Redis } from 'iovalkey';

export default {
  '@ticketing/batching': {
    async 'equal calls in flight share one load, and results are kept'() {
      let loads = 0;
      const users = createCoalescer(async (id) => ({ id, load: ++loads }), { ttlMs: 60_000 });
      const [one, two] = await Promise.all([users.get(7), users.get(7)]);
      assert.deepEqual([one, two, await users.get(7)], Array(3).fill({ id: 7, load: 1 }));
      assert.equal(await coalesce(async (text) => text)('once'), 'once');
    },
    async 'the load is aborted when its last caller leaves'() {
      const aborted = Promise.withResolvers();
      const users = createCoalescer(
        (_id, { signal }) =>
          new Promise(() => signal.addEventListener('abort', () => aborted.resolve('aborted'))),
      );
      const leaves = new AbortController();
      const call = users.get(1, { signal: leaves.signal });
      leaves.abort(new Error('left'));
      await assert.rejects(call, /left/);
      assert.equal(await aborted.promise, 'aborted');
    },
    async 'keys of one tick are one batch'() {
      const batches = [];
      const batch = createBatcher(async (keys) => {
        batches.push([...keys]);
        return keys.map((key) => key * 2);
      });
      assert.deepEqual(await Promise.all([batch.load(1), batch.load(2)]), [2, 4]);
      assert.deepEqual(batches, [[1, 2]]);
    },
    async 'diagnostics channels have subscribers'() {
      const heard = [];
      const note = (message) => heard.push(message);
      subscribe('ticketing:batching:join', note);
      const load = coalesce(async (text) => text, { name: 'heard' });
      await Promise.all([load('a'), load('a')]);
      unsubscribe('ticketing:batching:join', note);
      assert.equal(heard.length, 1);
    },
    async 'loads and batches are traced'() {
      const load = coalesce(async (text) => text, { name: 'traced' });
      const loads = await traced('load', () => load('a'));
      assert.deepEqual(loads, [
        'start traced',
        'end traced',
        'asyncStart traced',
        'asyncEnd traced',
      ]);
      const failing = createBatcher(() => Promise.reject(new Error('down')), { name: 'failing' });
      const batches = await traced('batch', () => assert.rejects(failing.load(1), /down/));
      const events = ['start', 'end', 'error', 'asyncStart', 'asyncEnd'];
      assert.deepEqual(
        batches,
        events.map((event) => `${event} failing`),
      );
    },
  },
  '@ticketing/batching/dataloader': {
    async 'loads of one tick are one batch'() {
      const loader = new DataLoader(async (keys) => keys.map((key) => key + keys.length));
      assert.deepEqual(await Promise.all([loader.load(1), loader.load(2)]), [3, 4]);
    },
  },
  '@ticketing/batching/streams': {
    async 'two followers share one stream'() {
      let opened = 0;
      const streams = createStreamCoalescer(async function* (key) {
        opened += 1;
        for (const item of [1, 2, 3]) yield `${key} ${item}`;
      });
      const read = async () => {
        const items = [];
        for await (const item of streams.follow('a')) items.push(item);
        return items;
      };
      assert.deepEqual(await Promise.all([read(), read()]), Array(2).fill(['a 1', 'a 2', 'a 3']));
      assert.equal(opened, 1);
    },
    async 'streams are traced'() {
      const streams = createStreamCoalescer(
        async function* (key) {
          yield key;
        },
        { name: 'read' },
      );
      const events = await traced('stream', async () => {
        for await (const item of streams.follow('a')) assert.equal(item, 'a');
      });
      assert.deepEqual(events, ['start read', 'end read', 'asyncStart read', 'asyncEnd read']);
    },
  },
  '@ticketing/batching/shared': {
    async 'two loaders of one store load once'() {
      const store = createMemoryStore();
      await sharedLoad(() => createCoordinator(store));
    },
    async 'calls of a shared loader are traced'() {
      const coordinator = createCoordinator(createMemoryStore());
      const load = shareLoads(async (id) => id, { coordinator, name: 'one', ttlMs: 60_000 });
      const call = () => load(7, { signal: new AbortController().signal });
      const events = await traced('shared', call);
      assert.deepEqual(events, ['start one', 'end one', 'asyncStart one', 'asyncEnd one']);
      await coordinator.close();
    },
  },
  '@ticketing/batching-redis': {
    async 'two clients of one server load once'() {
      const clients = [];
      await sharedLoad(async () => {
        const client = new Redis(process.env.TEST_REDIS_URL);
        clients.push(client);
        await once(client, 'ready');
        return createRedisCoordinator({ client });
      });
      for (const client of clients) client.disconnect();
    },
  },
  '@ticketing/batching/http': {
    async 'a body is compressed once, and revalidated'() {
      const bodies = createSharedBodies();
      const body = Buffer.from('found '.repeat(1000));
      const server = createServer((request, response) => {
        response.setHeader('content-type', 'text/plain');
        bodies.send({ request, response }, body).catch((error) => response.destroy(error));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const ask = (headers) =>
        new Promise((resolve, reject) => {
          const options = { port: server.address().port, host: '127.0.0.1', headers };
          get(options, (response) => response.resume().on('end', () => resolve(response))).on(
            'error',
            reject,
          );
        });
      const first = await ask({ 'accept-encoding': 'gzip' });
      assert.equal(first.headers['content-encoding'], 'gzip');
      const again = await ask({
        'accept-encoding': 'gzip',
        'if-none-match': first.headers.etag,
      });
      assert.equal(again.statusCode, 304);
      server.close();
      server.closeAllConnections();
    },
  },
  '@ticketing/batching/fastify': {
    async 'equal requests share one answer'() {
      let loads = 0;
      const waiting = Promise.withResolvers();
      const app = fastify();
      await app.register(coalesceRoutes);
      app.get('/report', { config: { coalesce: true } }, async () => {
        loads += 1;
        await waiting.promise;
        return { loads };
      });
      const url = await app.listen({ port: 0, host: '127.0.0.1' });
      let joined = 0;
      const note = () => {
        joined += 1;
        if (joined === 2) waiting.resolve();
      };
      subscribe('ticketing:batching:join', note);
      const answers = await Promise.all(
        [1, 2, 3].map(async () => (await fetch(`${url}/report`)).json()),
      );
      unsubscribe('ticketing:batching:join', note);
      assert.deepEqual(answers, Array(3).fill({ loads: 1 }));
      await app.close();
    },
  },
};

/** Returns the events of a tracing channel during a call, each with the name in its message. */
async function traced(action, call) {
  const heard = [];
  const ends = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => {
    const name = `tracing:ticketing:batching:${action}:${event}`;
    const note = (message) => heard.push(`${event} ${message.name}`);
    subscribe(name, note);
    return () => unsubscribe(name, note);
  });
  await call();
  for (const end of ends) end();
  return heard;
}

async function sharedLoad(connect) {
  const coordinators = [await connect(), await connect()];
  let loads = 0;
  const name = randomUUID();
  const loaders = coordinators.map((coordinator) =>
    shareLoads(async (id) => ({ id, load: ++loads }), { coordinator, name, ttlMs: 60_000 }),
  );
  const options = { signal: new AbortController().signal };
  const answers = await Promise.all(loaders.map((load) => load(7, options)));
  assert.deepEqual(answers, Array(2).fill({ id: 7, load: 1 }));
  for (const coordinator of coordinators) await coordinator.close();
}
