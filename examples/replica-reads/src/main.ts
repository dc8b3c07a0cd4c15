// `REPLICAS=http://10.0.0.1:8080,http://10.0.0.2:8080 npm start`
import { once } from 'node:events';
import { createReads } from './reads.ts';
import { createReadServer } from './server.ts';

const { REPLICAS = 'http://127.0.0.1:8081,http://127.0.0.1:8082', PORT = '8080' } = process.env;
// The 95th percentile of a read, and five second reads for a hundred reads at most.
const reads = createReads(REPLICAS.split(','), { afterMs: 50, share: 0.05 });
const server = createReadServer(reads).listen(Number(PORT));
await once(server, 'listening');
console.log('Open /items/<id> and /stats of', server.address());

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close();
    await once(server, 'close');
    await reads.close();
  });
}
