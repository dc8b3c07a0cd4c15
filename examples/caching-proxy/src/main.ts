import { createProxy } from './proxy.ts';
import { createUpstream } from './upstream.ts';

const { PORT = '3000', UPSTREAM = 'http://127.0.0.1:8080' } = process.env;
const tiers = new Map([
  ['Bearer anna', 'gold'],
  ['Bearer boris', 'gold'],
  ['Bearer clara', 'basic'],
]);
const proxy = await createProxy({
  upstream: createUpstream(UPSTREAM),
  tierOf: (token) => tiers.get(token),
});
console.log('Listening on', await proxy.listen({ port: Number(PORT) }));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => proxy.close());
}
