import { expect, test } from 'vitest';
import { createAvlo, createCarrierHttp, createOuigo, createRenfe } from '../src/index.ts';
import { bytesOf, createCarriers, failureOf, queryOf } from './upstream.ts';

// `String()` cannot make text of it.
const bare: never = Object.create(null) as never;
const baseUrl = 'http://127.0.0.1:1';

test.each([
  [
    () => createRenfe({} as never),
    'Cannot create renfe: `baseUrl` must be an http or https URL, got undefined',
  ],
  [
    () => createRenfe(undefined as never),
    'Cannot create renfe: `options` must be an object, got undefined',
  ],
  [
    () => createRenfe({ baseUrl: 'ftp://x' }),
    'Cannot create renfe: `baseUrl` must be an http or https URL, got ftp://x',
  ],
  [
    () => createAvlo({ baseUrl: 'http://' }),
    'Cannot create avlo: `baseUrl` must be an http or https URL, got http://',
  ],
  [
    () => createAvlo({ baseUrl, timeout: 1 } as never),
    'Cannot create avlo: unknown option `timeout`; known are baseUrl',
  ],
  [
    () => createOuigo({ baseUrl } as never),
    'Cannot create ouigo: `credentials` must have `username` and `password`, both texts',
  ],
  [
    () => createOuigo({ baseUrl, credentials: { username: 'x' } } as never),
    'Cannot create ouigo: `credentials` must have `username` and `password`, both texts',
  ],
  [
    () => createOuigo({ baseUrl, credentials: { username: 'x', password: 'y' }, nwo: 1 } as never),
    'Cannot create ouigo: unknown option `nwo`; did you mean `now`?',
  ],
  [
    () => createOuigo({ baseUrl, credentials: { username: 'x', password: 'y' }, now: 5 } as never),
    'Cannot create ouigo: `now` must be a function, got 5',
  ],
  [
    () => createOuigo({ baseUrl, credentials: 'secret' } as never),
    'Cannot create ouigo: `credentials` must have `username` and `password`, both texts',
  ],
  [
    () => createCarrierHttp({ socket: 1 } as never),
    'Cannot create carrier HTTP: unknown option `socket`; known are connections, maxInFlight, maxBodyBytes, connectTimeoutMs, retries, now',
  ],
  [
    () => createCarrierHttp({ now: 5 } as never),
    'Cannot create carrier HTTP: `now` must be a function, got 5',
  ],
])('misuse %#: %s', (misuse, message) => {
  expect(misuse).toThrow(new TypeError(message));
});

test.each([
  [{ connections: 0 }, '`connections` must be an integer of 1 to 1024, got 0'],
  [{ maxInFlight: -1 }, '`maxInFlight` must be an integer of 1 to 100000, got -1'],
  [{ maxBodyBytes: 1.5 }, '`maxBodyBytes` must be an integer of 1 to 1073741824, got 1.5'],
  [
    { connectTimeoutMs: Infinity },
    '`connectTimeoutMs` must be an integer of 1 to 60000, got Infinity',
  ],
  [{ retries: 6 }, '`retries` must be an integer of 0 to 5, got 6'],
])('createCarrierHttp(%j) is refused', (options, message) => {
  expect(() => createCarrierHttp(options)).toThrow(
    new RangeError(`Cannot create carrier HTTP: ${message}`),
  );
});

test.each<[misuse: () => unknown, message: string]>([
  [
    () => createRenfe(bare),
    'Cannot create renfe: `baseUrl` must be an http or https URL, got undefined',
  ],
  [
    () => createAvlo({ baseUrl: bare }),
    'Cannot create avlo: `baseUrl` must be an http or https URL, got an object',
  ],
  [
    () => createOuigo({ baseUrl, credentials: bare }),
    'Cannot create ouigo: `credentials` must have `username` and `password`, both texts',
  ],
  [
    () => createCarrierHttp({ now: bare }),
    'Cannot create carrier HTTP: `now` must be a function, got an object',
  ],
  [
    () => createCarrierHttp({ retries: bare }),
    'Cannot create carrier HTTP: `retries` must be an integer of 0 to 5, got an object without text',
  ],
])('an object without a prototype %#: %s', (misuse, message) => {
  expect(misuse).toThrow(message);
});

test.each([
  ['ouigo', '{"outbound":null,"error":{"code":{"toString":1,"valueOf":1}}}'],
  ['ouigo', '{"outbound":null,"error":{"code":5}}'],
  ['renfe', dwrException('{cdgoError:{a:1}}')],
  ['renfe', dwrException('{cdgoError:[]}')],
  ['renfe', dwrException('{}')],
] as const)('%s: the error %s, without a code, is one of the server', async (id, body) => {
  const { [id]: carrier } = createCarriers(baseUrl);
  const wire = { body: bytesOf(body), receivedAt: 1 };
  expect(await failureOf(() => carrier.normalise(wire, queryOf()))).toMatchObject({
    code: 'UPSTREAM',
  });
});

function dwrException(value: string): string {
  return `(function(){\nvar r=window.dwr._[0];\nr.handleException("0","1",${value});\n})();`;
}

test('options that are undefined are as if absent', async () => {
  const credentials = { username: 'x', password: 'y' };
  expect(createOuigo({ baseUrl, credentials, now: undefined }).id).toBe('ouigo');
  await using http = createCarrierHttp({
    connections: undefined,
    maxInFlight: undefined,
    maxBodyBytes: undefined,
    connectTimeoutMs: undefined,
    retries: undefined,
    now: undefined,
  });
  const sent = http.clientOf('any').send({
    method: 'GET',
    url: baseUrl,
    headers: undefined,
    body: undefined,
    signal: new AbortController().signal,
    deadline: 0,
  });
  await expect(sent).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: 'Cannot ask `any`: its deadline has passed',
  });
});
