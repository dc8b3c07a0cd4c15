import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { serveDemo } from '../demo.ts';

test('/openapi.json is valid OpenAPI 3.1', async () => {
  const { get } = await serveDemo('--latency', '0', '--worms', '50');
  const { valid, errors } = await new Validator().validate((await get('/openapi.json')).body);
  expect([valid, errors]).toEqual([true, undefined]);
});
