import { test } from 'vitest';
import { expectNear } from '../near-tests.ts';

test('near() equals a search of all stations around 60 points', () => {
  expectNear(60);
});
