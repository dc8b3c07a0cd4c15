import { serve } from '@hono/node-server';
import { createApp } from './app.ts';
import { createUpstream } from './upstream.ts';

const { PORT = '3000', UPSTREAM = 'http://127.0.0.1:8080' } = process.env;
const { app } = createApp({ upstream: createUpstream(UPSTREAM) });
const server = serve({ fetch: app.fetch, port: Number(PORT) }, () =>
  console.log(`Listening on port ${PORT}`),
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => server.close());
}
