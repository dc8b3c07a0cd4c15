// Forked by bench/joined.ts: a Fastify server that joins equal searches by a Map of promises, as one writes it by hand. It asks the
// demo for each, so that both give the same answer.
import { fastify } from 'fastify';

const [, , upstream = ''] = process.argv;
const loading = new Map<string, Promise<Buffer>>();

async function load(url: string): Promise<Buffer> {
  const answer = await fetch(upstream + url, { headers: { accept: 'application/json' } });
  return Buffer.from(await answer.arrayBuffer());
}

const app = fastify();
app.get('/search', async ({ url }, reply) => {
  let joined = loading.get(url);
  if (joined === undefined) {
    joined = load(url).finally(() => loading.delete(url));
    loading.set(url, joined);
  }
  const body = await joined;
  return reply.type('application/json; charset=utf-8').send(body);
});
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }));
