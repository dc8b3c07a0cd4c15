import { expect, test } from 'vitest';
import { createOjp } from '../../src/index.ts';
import { failureOf } from '../upstream.ts';
import { golden, options, read } from './ojp-answers.ts';

const anId = '`id` must be a name of letters, digits, `.`, `_` and `-`';

test.each<[options: object, message: string]>([
  [{ id: undefined }, `${anId}, got undefined`],
  [{ id: 'a b' }, `${anId}, got a b`],
  [{ name: '' }, "`name` must be a text, got ''"],
  [{ baseUrl: 'x' }, '`baseUrl` must be an http or https URL, got x'],
  [{ zone: 'Europe/Bern' }, '`zone` must be an IANA time zone, got Europe/Bern'],
  [{ zone: undefined }, '`zone` must be an IANA time zone, got undefined'],
  [{ requestor: 5 }, '`requestor` must be a text, got 5'],
  [{ headers: {} }, '`headers` must be a function, got [object Object]'],
  [{ stations: [] }, '`stations` must be an object with byCode, got []'],
  [{ userAgent: 'a\nb' }, '`userAgent` must be visible ASCII text, got a\nb'],
  [{ now: 1 }, '`now` must be a function, got 1'],
  [{ result: 4 }, 'unknown option `result`; did you mean `results`?'],
  [{ results: '4' }, '`results` must be an integer of 1 to 100, got 4'],
])('createOjp(%j) is refused', (wrong, message) => {
  expect(() => createOjp({ ...options, ...wrong })).toThrow(
    new TypeError(`Cannot create ojp: ${message}`),
  );
});

test.each<[options: object, message: string]>([
  [{ results: 0 }, '`results` must be an integer of 1 to 100, got 0'],
  [{ maxPages: 21 }, '`maxPages` must be an integer of 1 to 20, got 21'],
])('createOjp(%j) is out of range', (wrong, message) => {
  expect(() => createOjp({ ...options, ...wrong })).toThrow(
    new RangeError(`Cannot create ojp: ${message}`),
  );
});

test('options that are undefined are as if absent; the id is yours', () => {
  const absent = { headers: undefined, stations: undefined, results: undefined, now: undefined };
  const carrier = createOjp({ ...options, ...absent, id: 'sbb', name: 'SBB' });
  expect(carrier).toMatchObject({
    id: 'sbb',
    name: 'SBB',
    capabilities: {
      window: 'page',
      prices: 'none',
      stationSystem: 'uic',
      native: ['time', 'arriveBy', 'via', 'maxTransfers'],
    },
  });
});

test.each<[what: string, body: string, message: string]>([
  ['nothing', '', 'well-formed XML, got 1:0: document must contain a root element.'],
  ['an open element', '<a>\n<b></a>', 'well-formed XML, got 2:7: unexpected close tag.'],
  ['an entity', '<a>&x;</a>', 'well-formed XML, got 1:6: undefined entity.'],
  ['a DOCTYPE', `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, 'XML without a DOCTYPE, got one'],
  [
    'a deep one',
    `${'<a>'.repeat(65)}${'</a>'.repeat(65)}`,
    'XML of at most 64 elements in one another, got more',
  ],
  ['bytes of another encoding', golden.replace('Bern', 'B\ufffd'), ''],
])('ojp: XML with %s', async (_what, body, message) => {
  const bytes = message === '' ? Buffer.from(body.replace('\ufffd', 'ä'), 'latin1') : body;
  const error = await failureOf(() => read(bytes));
  expect(error.code).toBe('PROTOCOL');
  expect(error.message).toContain('Cannot read answer of `ojp`: it must have ');
  expect(error.message).toContain(message);
});
