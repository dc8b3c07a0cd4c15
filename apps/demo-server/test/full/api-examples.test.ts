import { expect, test } from 'vitest';
import { type ApiOperation, apiOperations, targetOf } from '../api-operations.ts';
import { eventually, sharedServerBy } from '../demo.ts';

const server = sharedServerBy(
  Date.now,
  ...['--latency', '0', '--worms', '50', '--dispatch', 'fork', '--dispatch-workers', '1'],
  ...['--carriers', 'all'],
);

/** Returns the targets of an operation with its first examples: those that are required, and all of them. */
function targetsOf(operation: ApiOperation): ReadonlySet<string> {
  const required = targetOf(operation, (one) => (one.required ? one.filled : undefined));
  return new Set([required, targetOf(operation, ({ filled }) => filled)]);
}

/** Sends an operation as the page of the API does, and returns the status. */
async function execute(operation: ApiOperation, target: string): Promise<number> {
  const { url } = server();
  const { method, body } = operation;
  const leaving = new AbortController();
  const response = await fetch(url + target, {
    method,
    signal: leaving.signal,
    headers: { origin: url, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body.filled) }),
  });
  const isEndless = response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = isEndless ? '' : await response.text();
  leaving.abort();
  expect(response.ok, `${method} ${target}: ${text.slice(0, 400)}`).toBe(true);
  return response.status;
}

test('every operation of the document succeeds with all its own examples, and with the required ones alone', async () => {
  const operations = apiOperations((await server().get('/openapi.json')).body);
  expect(operations.length).toBeGreaterThan(15);
  for (const operation of operations) {
    for (const target of targetsOf(operation)) {
      // What an operation before did to the workers has an end.
      await eventually(async () => expect(await execute(operation, target)).toBeLessThan(300));
    }
  }
});

test('the search of the examples finds journeys', async () => {
  const operations = apiOperations((await server().get('/openapi.json')).body);
  const search = operations.find(({ id }) => id === 'search');
  for (const target of targetsOf(search as ApiOperation)) {
    const { body } = await server().get(target);
    // With a day of return the answer has both ways; no evening train back leaves before the noon that filters have.
    const { journeys } = body.outbound ?? body;
    expect(journeys.length, target).toBeGreaterThan(0);
  }
});
