import { expect, test } from 'vitest';
import { createAvlo, createCarrierHttp, createOuigo, createRenfe } from '../src/index.ts';

const baseUrl = 'http://127.0.0.1:1';

test.each([
  [
    () => createRenfe({} as never),
    'Cannot create renfe: baseUrl must be an http or https URL, got undefined',
  ],
  [
    () => createRenfe(undefined as never),
    'Cannot create renfe: baseUrl must be an http or https URL, got undefined',
  ],
  [
    () => createRenfe({ baseUrl: 'ftp://x' }),
    'Cannot create renfe: baseUrl must be an http or https URL, got ftp://x',
  ],
  [
    () => createAvlo({ baseUrl: 'http://' }),
    'Cannot create avlo: baseUrl must be an http or https URL, got http://',
  ],
  [
    () => createAvlo({ baseUrl, timeout: 1 } as never),
    'Cannot create avlo: known options expected, got timeout',
  ],
  [
    () => createOuigo({ baseUrl } as never),
    'Cannot create ouigo: credentials with username and password expected, got none',
  ],
  [
    () => createOuigo({ baseUrl, credentials: { username: 'x' } } as never),
    'Cannot create ouigo: credentials with username and password expected, got none',
  ],
  [
    () => createCarrierHttp({ socket: 1 } as never),
    'Cannot create carrier HTTP: known options expected, got socket',
  ],
  [
    () => createCarrierHttp({ now: 5 } as never),
    'Cannot create carrier HTTP: now must be a function, got 5',
  ],
])('misuse %#: %s', (misuse, message) => {
  expect(misuse).toThrow(new TypeError(message));
});

test.each([
  [{ connections: 0 }, 'connections must be an integer from 1 to 1024, got 0'],
  [{ maxInFlight: -1 }, 'maxInFlight must be an integer from 1 to 100000, got -1'],
  [{ maxBodyBytes: 1.5 }, 'maxBodyBytes must be an integer from 1 to 1073741824, got 1.5'],
  [
    { connectTimeoutMs: Infinity },
    'connectTimeoutMs must be an integer from 1 to 60000, got Infinity',
  ],
  [{ retries: 6 }, 'retries must be an integer from 0 to 5, got 6'],
])('createCarrierHttp(%j) is refused', (options, message) => {
  expect(() => createCarrierHttp(options)).toThrow(
    new RangeError(`Cannot create carrier HTTP: ${message}`),
  );
});
