import { batcherCacheTests } from '../batcher-cache-model-tests.ts';

batcherCacheTests(600);
