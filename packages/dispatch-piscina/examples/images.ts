// An image service over two threads: a backlog in the background, customers before it, uploads no faster than they are worked off.
// `node --conditions=@ticketing/source examples/images.ts`
import { createPiscinaDispatcher } from '../src/index.ts';

const module = new URL('image-tasks.ts', import.meta.url);
await using images = createPiscinaDispatcher<typeof import('./image-tasks.ts')>(module, {
  name: 'images',
  max: 2,
});
await images.ready();

// Yesterday's images, a few at a time and after everything else.
const backlog = Array.from({ length: 40 }, (_, index) => [index, index]);
let done = 0;
const backfill = (async () => {
  const options = {
    concurrency: 4,
    ordered: false,
    priority: -10,
    metadata: { customer: 'night' },
  };
  for await (const outcome of images.map('brightness', backlog, options)) {
    if (outcome.status === 'fulfilled') done += 1;
  }
})();

// Two customers ask, each twice: a customer's calls reach one thread, which knows that customer's settings.
const asked = ['anna', 'boris', 'anna', 'boris'].map((customer, index) =>
  images.run('brightness', [1, 2, 12], {
    key: customer,
    priority: 10,
    metadata: { customer, request: `r${index}` },
  }),
);
for (const json of await Promise.all(asked)) {
  const { request, bright } = JSON.parse(json.toString());
  console.log(request, bright ? 'bright' : 'dark');
}

// Uploads: the next one is read when there is room for it.
for (const width of [4, 8]) {
  await images.capacity();
  const { buffer } = new Uint8Array(width * width).fill(7);
  const small = await images.run('shrink', { width, pixels: buffer }, { transfer: [buffer] });
  console.log(
    `${width} → ${small.width}, ${small.pixels.byteLength} bytes, ${buffer.byteLength} left here`,
  );
}

await backfill;
console.log(`backlog: ${done} of ${backlog.length}`);
