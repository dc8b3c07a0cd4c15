// The tests of random cases and of many calls, with many times what the fast loop tries.
import { scale } from '../scale.ts';

scale.runs = 10_000;
scale.calls = 100_000;
scale.requests = 1000;
await import('../fastify-clients.test.ts');
await import('../many-calls.test.ts');
await import('../coalescer-model.test.ts');
await import('../canonical-key-properties.test.ts');
await import('../dataloader-properties.test.ts');
