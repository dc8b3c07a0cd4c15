import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createAdmission } from '@ticketing/admission';
import { admitRoutes } from '@ticketing/admission/fastify';
import { admitRequests } from '@ticketing/admission/http';
import { fastify } from 'fastify';

export default {
  '@ticketing/admission/http': {
    async 'a request that fits is answered, a late one gets 503'() {
      const admission = createAdmission({ deadlineMs: 20_000 });
      const server = createServer((_request, response) => response.end('found'));
      const arrivedAt = ({ url }) => (url === '/late' ? performance.now() - 21_000 : undefined);
      admitRequests(server, { admission, arrivedAt });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${server.address().port}`;
      const found = await fetch(`${url}/trains`);
      const late = await fetch(`${url}/late`);
      const codes = [await found.text(), late.status, (await late.json()).code];
      server.close();
      server.closeAllConnections();
      admission.close();
      assert.deepEqual(codes, ['found', 503, 'ERR_EXPIRED']);
    },
  },
  '@ticketing/admission/fastify': {
    async 'a route that fits is answered'() {
      const app = fastify();
      const admission = createAdmission({ deadlineMs: 20_000 });
      await app.register(admitRoutes, { admission });
      app.get('/trains', async () => 'found');
      const url = await app.listen({ port: 0, host: '127.0.0.1' });
      const text = await (await fetch(`${url}/trains`)).text();
      await app.close();
      admission.close();
      assert.equal(text, 'found');
    },
  },
};
