import { checkSlowReading } from '@ticketing/test-kit';
import { test } from 'vitest';

test('1 GB through a task with a slow consumer takes less than 64 MB', async () => {
  await checkSlowReading(new URL('../fixtures/slow-reader.ts', import.meta.url));
}, 60_000);
