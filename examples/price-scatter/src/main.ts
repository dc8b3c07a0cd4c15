// `SHOPS='{"corner":"http://…","harbour":"http://…"}' npm start`
import { once } from 'node:events';
import { createPriceServer } from './server.ts';
import { createShop } from './shop.ts';

const urls: Record<string, string> = JSON.parse(process.env['SHOPS'] ?? '{}');
const shops = Object.entries(urls).map(([id, url]) => createShop(id, url));
const server = createPriceServer(shops, { deadlineMs: 800 });
server.listen(Number(process.env['PORT'] ?? 8080));
await once(server, 'listening');
console.log('Open /prices/<product> of', server.address());

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
