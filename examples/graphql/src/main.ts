import { once } from 'node:events';
import { createAuthorLoader } from './author-loader.ts';
import { createMemoryLibrary } from './library.ts';
import { createApi } from './server.ts';

const library = createMemoryLibrary();
const authors = createAuthorLoader(library);
const server = createApi(library, authors).listen(Number(process.env['PORT'] ?? 4000));
await once(server, 'listening');
console.log('Open /graphql of', server.address());

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close();
    await once(server, 'close');
    await authors.close();
  });
}
