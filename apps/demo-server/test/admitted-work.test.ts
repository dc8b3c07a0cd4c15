import type { Applicant } from '@ticketing/admission';
import { expect, test } from 'vitest';
import { ALWAYS, admittingServer, tooExpensive } from './admitted-work-cases.ts';
import { apiOperations, targetOf } from './api-operations.ts';

const server = admittingServer();
/** Work that is counted. */
let sum = 0;
const add = (amount: number): void => {
  sum += amount;
};
const refuse = (applicant: Applicant): void => applicant.refuse('busy');

test('every request waits for its admission, except on a short list of routes [admitted-work]', async () => {
  server().gate.decide = refuse;
  server().gate.applied = 0;
  const operations = apiOperations(server().document);
  expect(ALWAYS.filter((id) => !operations.some((one) => one.id === id))).toEqual([]);
  for (const operation of operations) {
    if (ALWAYS.includes(operation.id)) continue;
    const url = targetOf(operation, ({ required, filled }) => (required ? filled : undefined));
    const { statusCode } = await server().app.inject({ method: operation.method as 'GET', url });
    expect([operation.id, statusCode, server().gate.applied]).toEqual([operation.id, 503, 1]);
    server().gate.applied = 0;
  }
  const others = ['/', '/docs', '/docs/static/index.css', '/openapi.json', '/assets/x', '/nowhere'];
  for (const url of [...others, '/favicon.ico', '/%ff', '/search/x', '/stations/a/b']) {
    for (const accept of ['text/html', '*/*']) {
      const { statusCode } = await server().app.inject({ url, headers: { accept } });
      // A target that cannot be decoded has no route, and costs nothing.
      if (url !== '/%ff') expect([url, statusCode]).toEqual([url, 503]);
    }
  }
  expect((await server().app.inject({ method: 'POST', url: '/search' })).statusCode).toBe(503);
});

// One operation; `test/full` asks all.
test('a request for stations that is refused has cost next to nothing, whatever is in it [admitted-work]', async () => {
  server().gate.decide = refuse;
  expect(await tooExpensive(server(), (id) => id === 'listStations')).toEqual([]);
});

test('a request that does work before it is refused is found', async () => {
  let refused = 0;
  server().gate.decide = (applicant) => {
    refused += 1;
    // The first two ask in the usual way.
    for (let step = 0; refused > 2 && step < 40_000; step += 1) add(step);
    applicant.refuse('busy');
  };
  const found = await tooExpensive(server(), (id) => id === 'compute');
  expect([sum > 0, found.length]).toEqual([true, refused - 2]);
});
