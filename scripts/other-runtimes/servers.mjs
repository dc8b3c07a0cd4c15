import assert from 'node:assert/strict';
import { startCluster } from '@ticketing/dispatch-cluster';
import { createSocketRouter, forkWorkers } from '@ticketing/socket-router';

const headers = { connection: 'close', 'x-user': 'one' };
const ask = async (port) => (await fetch(`http://127.0.0.1:${port}`, { headers })).text();

export default {
  '@ticketing/dispatch-cluster': {
    async 'two workers share a port'() {
      const entry = new URL('cluster-worker.mjs', import.meta.url);
      const supervisor = startCluster({ entry, workers: 2 });
      try {
        await supervisor.ready();
        const { port } = supervisor.workers[0].address;
        assert.equal(new Set([await ask(port), await ask(port)]).size, 2);
      } finally {
        await supervisor.close();
      }
    },
  },
  '@ticketing/socket-router': {
    async 'requests of one key reach one worker'() {
      const workers = forkWorkers(new URL('router-worker.mjs', import.meta.url), 2);
      const route = ({ header }) => ({ key: header?.('x-user') ?? '' });
      const router = createSocketRouter({ workers, route, laterRequests: 'close' });
      try {
        await router.ready();
        const { port } = await router.listen({ port: 0, host: '127.0.0.1' });
        assert.equal(await ask(port), await ask(port));
      } finally {
        await router.close();
      }
    },
  },
};
