import type { FlagSpec } from '@ticketing/cli-kit';
import { expect } from 'vitest';
import { flagSpecs } from '../src/flags/flag-specs.ts';

export const SECRETS = ['us3r-s3cret', 'p4ss/s3cret', 'qu3ry-s3cret', 't0ken-s3cret'] as const;
export const SCHEMES = ['http', 'https', 'nats', 'tls', 'redis', 'rediss', 'postgres', 'mongodb'];

/** Returns a URL to nobody with a secret in every place that may have one. */
export function secretUrl(scheme: string): string {
  const [, password, parameter] = SECRETS;
  const query = scheme.startsWith('http') ? '' : `?password=${parameter}`;
  return `${scheme}://user:${encodeURIComponent(password)}@127.0.0.1:9/x${query}`;
}

export const TEXTS = [
  ...SCHEMES.map(secretUrl),
  ...SCHEMES.map((scheme) => `${scheme}://${SECRETS[3]}@127.0.0.1:9`),
  ...['nats', 'tls'].map((scheme) => `${secretUrl(scheme)},${secretUrl(scheme)}`),
  `mongodb://user:${SECRETS[1]}@127.0.0.1:9,127.0.0.1:10/x`,
  'us3r-s3cret-of-32-characters-or-so',
];

export function expectNoSecret(text: string, where: string): void {
  const found = ['s3cret', encodeURIComponent(SECRETS[1])].filter((one) => text.includes(one));
  expect(found, `${where}: ${text.slice(0, 300)}`).toEqual([]);
}

export const specs = Object.entries<FlagSpec<unknown>>(flagSpecs);
/** Paths and a host, which have no secrets. */
export const OPEN: readonly string[] = ['gtfsFile', 'host', 'ratesFile', 'tlsCert', 'tlsKey'];
export const secretFlags = specs.filter(
  ([key, { value }]) => !OPEN.includes(key) && TEXTS.some((text) => value.read(text) !== undefined),
);
