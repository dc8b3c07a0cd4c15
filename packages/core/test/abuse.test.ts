import {
  addDays,
  createLocalClock,
  createScatter,
  createSearch,
  createStationIndex,
  currencyExponent,
  parseMoney,
  type SearchOptions,
} from '@ticketing/core';
import { expect, test, vi } from 'vitest';
import { carrier, madrid, NOW, query } from './trains.ts';

const silent = carrier('silent', async () => []);
const { request: _request, ...half } = silent;

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [undefined, TypeError, '`options` must be an object, got undefined'],
  [null, TypeError, '`options` must be an object, got null'],
  ['renfe', TypeError, '`options` must be an object, got renfe'],
  [{}, TypeError, '`carriers` must be a list of at least one carrier, got undefined'],
  [{ carriers: [] }, TypeError, '`carriers` must be a list of at least one carrier, got []'],
  [
    { carriers: [undefined] },
    TypeError,
    '`carriers[0]` must be a carrier with id, request and normalise, got undefined',
  ],
  [
    { carriers: [half] },
    TypeError,
    '`carriers[0]` must be a carrier with id, request and normalise, got [object Object]',
  ],
  [{ carriers: [silent, silent] }, TypeError, '`carriers` has `silent` twice'],
  [
    { carriers: [silent], timeout: 5 },
    TypeError,
    'unknown option `timeout`; known are deadlineMs, order, carriers, maxJourneys, rates, http, run, known, now',
  ],
  [
    { carriers: [silent], maxJourneys: 0 },
    RangeError,
    '`maxJourneys` must be an integer of 1 or more, got 0',
  ],
  [
    { carriers: [silent], maxJourneys: 1.5 },
    RangeError,
    '`maxJourneys` must be an integer of 1 or more, got 1.5',
  ],
  [{ carriers: [silent], deadlineMs: 0 }, RangeError, '`deadlineMs` must be 1 to 600000, got 0'],
  [
    { carriers: [silent], deadlineMs: 600_001 },
    RangeError,
    '`deadlineMs` must be 1 to 600000, got 600001',
  ],
  [
    { carriers: [silent], deadlineMs: '2000' },
    TypeError,
    '`deadlineMs` must be 1 to 600000, got 2000',
  ],
  [
    { carriers: [silent], deadlineMs: Number.NaN },
    RangeError,
    '`deadlineMs` must be 1 to 600000, got NaN',
  ],
  [
    { carriers: [silent], order: 'fastest' },
    TypeError,
    '`order` must be one of price, departure, arrival, duration, transfers, co2, best, got fastest',
  ],
  [
    { carriers: [silent], rates: 1 },
    TypeError,
    '`rates` must be an object, or a function that returns one, got 1',
  ],
  [
    { carriers: [silent], rates: { EUR: 1 } },
    TypeError,
    '`rates.asOf` must be a day of the calendar as YYYY-MM-DD, got undefined',
  ],
  [{ carriers: [silent], http: 'undici' }, TypeError, '`http` must be a function, got undici'],
  [{ carriers: [silent], run: 1 }, TypeError, '`run` must be a function, got 1'],
  [{ carriers: [silent], now: NOW }, TypeError, `\`now\` must be a function, got ${NOW}`],
])('createSearch(%o) throws', (options, errorClass, message) => {
  expect(() => createSearch(options as SearchOptions)).toThrow(
    new errorClass(`Cannot create search: ${message}`),
  );
});

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [null, TypeError, '`options` must be an object, got null'],
  ['fast', TypeError, '`options` must be an object, got fast'],
  [
    { timeoutMs: 5 },
    TypeError,
    'unknown option `timeoutMs`; known are deadlineMs, order, signal, carriers',
  ],
  [{ carriers: [] }, TypeError, '`carriers` must be a list of at least one id, got []'],
  [{ carriers: 'silent' }, TypeError, '`carriers` must be a list of at least one id, got silent'],
  [{ carriers: ['silent', 'loud'] }, TypeError, '`carriers[1]` must be one of silent, got loud'],
  [{ signal: {} }, TypeError, '`signal` must be an AbortSignal, got [object Object]'],
  [{ deadlineMs: -1 }, RangeError, '`deadlineMs` must be 1 to 600000, got -1'],
  [
    { order: 'id' },
    TypeError,
    '`order` must be one of price, departure, arrival, duration, transfers, co2, best, got id',
  ],
])('search(query, %o) rejects, stream() throws', async (options, errorClass, message) => {
  const error = new errorClass(`Cannot search: ${message}`);
  const search = createSearch({ carriers: [silent], now: () => NOW });
  await expect(search.search(query, options as never)).rejects.toThrow(error);
  expect(() => search.stream(query, options as never)).toThrow(error);
});

test('search() rejects a query that is not an object', async () => {
  const search = createSearch({ carriers: [silent], now: () => NOW });
  for (const wrong of [undefined, null, 'Madrid']) {
    await expect(search.search(wrong as never)).rejects.toMatchObject({
      code: 'ERR_BAD_QUERY',
      message: `Cannot search: \`query\` must be an object, got ${wrong}`,
    });
  }
});

test('createStationIndex() refuses one station twice under another name', () => {
  expect(() => createStationIndex([madrid, { ...madrid, name: 'Atocha' }])).toThrow(
    new TypeError(
      'Cannot index stations: station id `uic:7160000` is used twice, by Madrid Puerta de Atocha and Atocha',
    ),
  );
});

test('parseMoney() refuses a decimal sign of its own', () => {
  expect(() => parseMoney('1;5', { currency: 'EUR', decimal: ';' as never })).toThrow(
    new TypeError("Cannot read money: `decimal` must be ',' or '.', got ;"),
  );
});

// An object that `String()` cannot make text of, as `JSON.parse` of a header or a query parser gives them.
const bare: never = Object.create(null) as never;

test.each<[name: string, misuse: () => unknown, message: string]>([
  [
    'options',
    () => createSearch(bare),
    '`carriers` must be a list of at least one carrier, got undefined',
  ],
  ...(['http', 'run', 'now'] as const).map((name): [string, () => unknown, string] => [
    name,
    () => createSearch({ carriers: [silent], [name]: bare }),
    `\`${name}\` must be a function, got an object`,
  ]),
  [
    'carriers',
    () => createSearch({ carriers: bare }),
    '`carriers` must be a list of at least one carrier, got an object without text',
  ],
  [
    'a carrier',
    () => createSearch({ carriers: [bare] }),
    '`carriers[0]` must be a carrier with id, request and normalise, got an object without text',
  ],
  [
    "a carrier's id",
    () => createSearch({ carriers: [{ ...silent, id: bare }] }),
    '`carriers[0]` must be a carrier with id, request and normalise, got [object Object]',
  ],
  [
    'deadlineMs',
    () => createSearch({ carriers: [silent], deadlineMs: bare }),
    '`deadlineMs` must be 1 to 600000, got an object',
  ],
  [
    'order',
    () => createSearch({ carriers: [silent], order: bare }),
    '`order` must be one of price, departure, arrival, duration, transfers, co2, best, got an object',
  ],
])('createSearch() names %s without a prototype', (_name, misuse, message) => {
  expect(misuse).toThrow(`Cannot create search: ${message}`);
});

test.each<[name: string, message: string]>([
  ['signal', '`signal` must be an AbortSignal, got an object'],
  ['deadlineMs', '`deadlineMs` must be 1 to 600000, got an object'],
  [
    'order',
    '`order` must be one of price, departure, arrival, duration, transfers, co2, best, got an object',
  ],
])(
  'search() names %s without a prototype, and takes options without one',
  async (name, message) => {
    const search = createSearch({ carriers: [silent], now: () => NOW });
    await expect(search.search(query, { [name]: bare })).rejects.toThrow(
      `Cannot search: ${message}`,
    );
    await expect(search.search(query, bare)).resolves.toMatchObject({ complete: true });
  },
);

test('values without a prototype get the message of any other wrong value', async () => {
  const search = createSearch({ carriers: [silent], now: () => NOW });
  for (const field of ['origin', 'destination', 'date', 'passengers'])
    await expect(search.search({ ...query, [field]: bare })).rejects.toMatchObject({
      code: 'ERR_BAD_QUERY',
      data: { parameter: field },
    });
  const clock = createLocalClock();
  expect(() => parseMoney(bare, { currency: 'EUR' })).toThrow('got an object');
  expect(() => parseMoney('1', { currency: 'EUR', decimal: bare })).toThrow('got an object');
  expect(() => currencyExponent(bare)).toThrow('got an object');
  expect(() => clock.epoch(bare, 'Europe/Madrid')).toThrow('got an object');
  expect(() => clock.fromEpoch(NOW, bare)).toThrow('got an object');
  expect(() => addDays(bare, 1)).toThrow('got an object');
});

const one = { a: () => 1 };
const someSources = '`sources` must be at least one source, by id or in a list';
test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [undefined, TypeError, '`options` must be an object, got undefined'],
  [[], TypeError, '`options` must be an object, got []'],
  [{}, TypeError, `${someSources}, got undefined`],
  [{ sources: {} }, TypeError, `${someSources}, got [object Object]`],
  [{ sources: [] }, TypeError, `${someSources}, got []`],
  [{ sources: () => 1 }, TypeError, `${someSources}, got a function`],
  [{ sources: { a: 'http' } }, TypeError, '`sources.a` must be a function, got http'],
  [
    { sources: [one.a] },
    TypeError,
    '`sources[0]` must be a source with id and run, got a function',
  ],
  [
    { sources: [{ id: 'a', run: one.a }, null] },
    TypeError,
    '`sources[1]` must be a source with id and run, got null',
  ],
  [
    { sources: [{ id: '', run: one.a }] },
    TypeError,
    '`sources[0]` must be a source with id and run, got [object Object]',
  ],
  [
    {
      sources: [
        { id: 'a', run: one.a },
        { id: 'a', run: one.a },
      ],
    },
    TypeError,
    '`sources` has `a` twice',
  ],
  [
    { sources: one, deadline: 5 },
    TypeError,
    'unknown option `deadline`; did you mean `deadlineMs`?',
  ],
  [
    { sources: one, merge: 5 },
    TypeError,
    'unknown option `merge`; known are sources, deadlineMs, maxInFlight, name, now',
  ],
  [{ sources: one, deadlineMs: 0 }, RangeError, '`deadlineMs` must be 1 to 600000, got 0'],
  [
    { sources: one, deadlineMs: Number.POSITIVE_INFINITY },
    RangeError,
    '`deadlineMs` must be 1 to 600000, got Infinity',
  ],
  [
    { sources: one, maxInFlight: 0 },
    RangeError,
    '`maxInFlight` must be an integer of 1 or more, got 0',
  ],
  [
    { sources: one, maxInFlight: 1.5 },
    RangeError,
    '`maxInFlight` must be an integer of 1 or more, got 1.5',
  ],
  [{ sources: one, name: '' }, TypeError, "`name` must be a text, got ''"],
  [{ sources: one, now: NOW }, TypeError, `\`now\` must be a function, got ${NOW}`],
])('createScatter(%o) throws', (options, errorClass, message) => {
  expect(() => createScatter(options as never)).toThrow(
    new errorClass(`Cannot create scatter: ${message}`),
  );
});

test.each<[options: unknown, errorClass: typeof TypeError, message: string]>([
  [null, TypeError, '`options` must be an object, got null'],
  [
    { timeoutMs: 5 },
    TypeError,
    'unknown option `timeoutMs`; known are signal, deadlineMs, sources',
  ],
  [{ sources: [] }, TypeError, '`sources` must be a list of at least one id, got []'],
  [{ sources: 'a' }, TypeError, '`sources` must be a list of at least one id, got a'],
  [{ sources: ['a', 'b'] }, TypeError, '`sources[1]` must be one of a, got b'],
  [{ signal: {} }, TypeError, '`signal` must be an AbortSignal, got [object Object]'],
  [{ deadlineMs: -1 }, RangeError, '`deadlineMs` must be 1 to 600000, got -1'],
])(
  'ask(query, %o) rejects, stream() throws, and no source is asked',
  async (options, errorClass, message) => {
    const error = new errorClass(`Cannot ask: ${message}`);
    const a = vi.fn();
    const scatter = createScatter({ sources: { a } });
    await expect(scatter.ask(1, options as never)).rejects.toThrow(error);
    expect(() => scatter.stream(1, options as never)).toThrow(error);
    expect(a).not.toHaveBeenCalled();
    expect(scatter.stats()).toMatchObject({ running: 0, complete: 0, partial: 0, aborted: 0 });
  },
);

test('options that are undefined are as if absent', async () => {
  const scatter = createScatter({
    sources: one,
    deadlineMs: undefined,
    maxInFlight: undefined,
    name: undefined,
    now: undefined,
  });
  const call = { signal: undefined, deadlineMs: undefined, sources: undefined };
  expect(await scatter.ask(undefined, call)).toMatchObject({ answers: { a: 1 }, complete: true });
  const search = createSearch({
    carriers: [silent],
    deadlineMs: undefined,
    order: undefined,
    http: undefined,
    run: undefined,
    now: () => NOW,
  });
  const { carriers: _carriers, ...result } = await search.search(query, {
    signal: undefined,
    deadlineMs: undefined,
    order: undefined,
    carriers: undefined,
  });
  expect(result).toMatchObject({ journeys: [], complete: true });
});
