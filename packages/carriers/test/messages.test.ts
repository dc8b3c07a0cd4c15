import { CarrierError } from '@ticketing/core';
import { expect, test } from 'vitest';
import { statusError, transportError } from '../src/http/http-error.ts';
import { createCarrierHttp } from '../src/index.ts';
import { stationCode } from '../src/stations/station-table.ts';
import { createDecoder } from '../src/wire/decoder.ts';
import { bytesOf, createCarriers, failureOf, fixture, queryFor, queryOf } from './upstream.ts';

const reset = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
const { read, total } = createDecoder('ouigo');
const carriers = createCarriers('http://127.0.0.1:1');
const answer = (body: string) => ({ body: bytesOf(body), receivedAt: 1 });
const elsewhere = { id: 'x', name: 'Elsewhere', codes: {} } as never;

test.each<[what: string, fail: () => unknown, message: string]>([
  [
    'a status',
    () => statusError('a', 503, undefined),
    'Cannot ask `a`: it answered with status 503',
  ],
  [
    'a lost connection',
    () => transportError('a', reset),
    'Cannot ask `a`: the request failed with ECONNRESET',
  ],
  [
    'a station elsewhere',
    () => stationCode('avlo', elsewhere),
    'Cannot ask `avlo`: it does not serve Elsewhere',
  ],
  [
    'a text that is a number',
    () => read.text({ price: 5 }, 'price'),
    'Cannot read answer of `ouigo`: it must have a string at `price`, got 5',
  ],
  [
    'a list that is an object',
    () => read.list({}, 'outbound'),
    'Cannot read answer of `ouigo`: it must have a list at `outbound`, got an object',
  ],
  [
    'a record that is absent',
    () => read.record(undefined, 'login'),
    'Cannot read answer of `ouigo`: it must have an object at `login`, got undefined',
  ],
  [
    'a negative price',
    () => total({ amount: -1, currency: 'EUR' }, queryOf()),
    'Cannot read answer of `ouigo`: it must have a price of 0 or more, got -1',
  ],
  [
    'bytes that are no JSON',
    () => carriers.ouigo.normalise(answer('<a>'), queryOf()),
    'Cannot read answer of `ouigo`: it must have JSON, got <a>',
  ],
  [
    'a page for people',
    () => carriers.ouigo.normalise(answer('<!DOCTYPE html><title>Hello</title>'), queryOf()),
    'Cannot ask `ouigo`: it answered a page for people',
  ],
  [
    'a waiting room',
    () => carriers.renfe.normalise(answer('<html><script src="//queue-it.example">'), queryOf()),
    'Cannot ask `renfe`: it answered a page for people, a waiting room',
  ],
  [
    'an error without a code',
    () => carriers.ouigo.normalise(answer('{"outbound":null,"error":"Try later"}'), queryOf()),
    'Cannot ask `ouigo`: it answered Try later',
  ],
  [
    'half an answer of Renfe',
    () => carriers.renfe.normalise(answer('(function(){var r=window.dwr._[0'), queryOf()),
    "Cannot read answer of `renfe`: it must have '];' at 32, got the end",
  ],
  [
    'a refusal of Ouigo',
    () =>
      carriers.ouigo.normalise(
        answer('{"outbound":null,"error":{"code":"TOO_MANY_REQUESTS"}}'),
        queryOf(),
      ),
    'Cannot ask `ouigo`: it answered TOO_MANY_REQUESTS',
  ],
])('the message for %s says what failed, and why', async (_what, fail, message) => {
  const error = await failureOf(async () => {
    const made = fail();
    if (CarrierError.is(made)) throw made;
  });
  expect(error).toMatchObject({ message });
});

const wires: Readonly<Record<string, (body: Uint8Array<ArrayBuffer>) => unknown>> = {
  renfe: (body) => carriers.renfe.normalise({ body, receivedAt: 1 }, queryOf()),
  'ouigo.json': (body) => carriers.ouigo.normalise({ body, receivedAt: 1 }, queryOf()),
  'avlo.json': (body) => carriers.avlo.normalise({ days: [body], receivedAt: 1 }, queryOf()),
  'hafas.json': (body) =>
    carriers.hafas.normalise(
      { pages: [{ body, receivedAt: 1 }], ask: { kind: 'time', atMs: 0 }, ended: false },
      queryFor('hafas'),
    ),
  'osdm.json': (offers) =>
    carriers.osdm.normalise(
      {
        pages: [{ ask: { atMs: 0, by: 'departure', direction: 'later' }, offers }],
        whole: true,
        receivedAt: 1,
      },
      queryFor('osdm'),
    ),
  'ojp.xml': (body) =>
    carriers.ojp.normalise(
      {
        question: { atMs: 0, by: 'departure', direction: 'later' },
        answers: [{ status: 200, body }],
        whole: true,
      },
      queryFor('ojp'),
    ),
  'navitia.json': (body) =>
    carriers.navitia.normalise(
      {
        question: { atMs: 0, by: 'departure', direction: 'later' },
        answers: [{ status: 200, body }],
        whole: true,
        receivedAt: 1,
      },
      queryFor('navitia'),
    ),
};

test.each(Object.keys(wires))(
  '%s: the message for an answer that is cut off says what is there instead',
  async (name) => {
    const whole = fixture(name);
    const normalise = wires[name] as (typeof wires)[string];
    for (let part = 0; part < 60; part++) {
      const body = whole.slice(0, Math.floor((whole.length * part) / 60));
      const { code, message } = await failureOf(async () => normalise(body));
      expect(code).toBe('PROTOCOL');
      expect(message).toMatch(/^Cannot read answer of `\w+`: it must have .+, got \S/);
    }
  },
);

test('the message above maxInFlight and after close() names the limit and the reason', async () => {
  const http = createCarrierHttp({ maxInFlight: 1 });
  const { signal } = new AbortController();
  const send = () =>
    http.clientOf('a').send({
      method: 'GET',
      url: 'http://127.0.0.1:1',
      signal,
      deadline: Date.now() + 60_000,
    });
  const first = send().catch(() => {});
  await expect(send()).rejects.toMatchObject({
    code: 'OVERLOADED',
    message: 'Cannot ask `a`: `maxInFlight` (1) requests are under way',
  });
  await first;
  await http.close();
  await expect(send()).rejects.toMatchObject({
    code: 'NETWORK',
    message: 'Cannot ask `a`: the HTTP client is closed',
  });
});
