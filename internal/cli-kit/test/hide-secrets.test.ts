import { expect, test } from 'vitest';
import { hideSecretsOf } from '../src/hide-secrets.ts';

test('hideSecretsOf() removes the secrets of URLs from what a library says, as written and decoded', () => {
  const url = 'postgres://me:p%40ss@db/worms?sslmode=disable&password=other';
  expect(hideSecretsOf(url, `cannot open ${url}: p@ss, p%40ss or other is wrong for me`)).toBe(
    'cannot open postgres://db/worms: …, … or … is wrong for me',
  );
  expect(hideSecretsOf('nats://t0ken@a,nats://b', 'no t0ken at b')).toBe('no … at b');
  expect(hideSecretsOf('http://a:4318', 'connect ECONNREFUSED')).toBe('connect ECONNREFUSED');
});
