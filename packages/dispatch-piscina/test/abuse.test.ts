import { expect, test } from 'vitest';
import { createPiscinaDispatcher, type PiscinaOptions } from '../src/index.ts';

const module = new URL('file:///nothing/is/started.js');

test.each([
  [undefined, 'undefined'],
  ['./tasks.js', './tasks.js'],
  ['file:///tasks.js', 'file:///tasks.js'],
  [{ href: 'file:///tasks.js' }, '[object Object]'],
  [Object.create(null), 'an object without text'],
])('createPiscinaDispatcher() refuses a module that is no URL: %j', (wrong, shown) => {
  expect(() => createPiscinaDispatcher(wrong as never)).toThrow(
    new TypeError(`Cannot create dispatcher: \`module\` must be a URL, got ${shown}`),
  );
});

test.each<[unknown, string]>([
  [null, '`options` must be an object, got null'],
  ['fast', '`options` must be an object, got fast'],
  [{ workers: 2 }, 'unknown option `workers`; did you mean `max`?'],
  [{ output: 'pipe' }, '`output` must be inherit, ignore or a function, got pipe'],
  [
    { killWithParent: true },
    'unknown option `killWithParent`; known are env, execArgv, resourceLimits, output, workerUrl, name, min, max, window, maxQueue, maxWaitMs, abortGraceMs, stopGraceMs, startTimeoutMs, healthMs, idleTimeoutMs, recycle, restart, busyPoll, workerData, clock, random',
  ],
  [{ env: 'PATH' }, '`env` must be an object, got PATH'],
  [{ env: null }, '`env` must be an object, got null'],
  [
    { workerUrl: Object.create(null) },
    '`workerUrl` must be a file URL, got an object without text',
  ],
  [{ execArgv: '--no-warnings' }, '`execArgv` must be a list of texts, got --no-warnings'],
  [{ execArgv: [1] }, '`execArgv` must be a list of texts, got 1'],
  [{ resourceLimits: 64 }, '`resourceLimits` must be an object, got 64'],
  [
    { workerUrl: new URL('file:///nowhere/worker.js') },
    '`workerUrl` must be the URL of a copy of @ticketing/dispatch-piscina/worker, got file:///nowhere/worker.js, which does not exist',
  ],
  [{ workerUrl: './worker.js' }, '`workerUrl` must be a file URL, got ./worker.js'],
  [
    { workerUrl: new URL('https://a.test/w.js') },
    '`workerUrl` must be a file URL, got https://a.test/w.js',
  ],
  [{ name: '' }, "`name` must be a text, got ''"],
  [{ max: '2' }, '`max` must be an integer of 1 to 1024, got 2'],
])('createPiscinaDispatcher() refuses options %j', (options, message) => {
  expect(() => createPiscinaDispatcher(module, options as PiscinaOptions)).toThrow(
    new TypeError(`Cannot create dispatcher: ${message}`),
  );
});

test('createPiscinaDispatcher() refuses options that are out of range', () => {
  expect(() => createPiscinaDispatcher(module, { max: 0 })).toThrow(
    new RangeError('Cannot create dispatcher: `max` must be an integer of 1 to 1024, got 0'),
  );
});
