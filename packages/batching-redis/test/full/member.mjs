// One of several processes that share loads: `member.mjs <url> <callers> <loadMs> <leaseMs>`. Asks when it is told a key, and
// tells when it loads and when all its callers have their answer.
import { createCoalescer } from '@ticketing/batching';
import { shareLoads } from '@ticketing/batching/shared';
import { createRedisCoordinator } from '@ticketing/batching-redis';
import { Redis } from 'iovalkey';

const [url, callers, loadMs, leaseMs] = process.argv.slice(2);
const client = new Redis(url);
const coordinator = createRedisCoordinator({ client, commandTimeoutMs: 10_000 });
const load = shareLoads(
  async (key) => {
    process.send({ kind: 'load', key });
    await new Promise((resolve) => setTimeout(resolve, Number(loadMs)));
    return `${key} of ${process.pid}`;
  },
  { coordinator, name: 'members', leaseMs: Number(leaseMs) },
);
const values = createCoalescer(load, { name: 'members' });
process.on('message', async (key) => {
  const startedAt = performance.now();
  const asked = Array.from({ length: Number(callers) }, () => values.get(key));
  const answers = new Set(await Promise.all(asked));
  process.send({ kind: 'answers', answers: [...answers], ms: performance.now() - startedAt });
});
process.on('disconnect', () => process.exit());
client.on('ready', () => process.send({ kind: 'ready' }));
