import { expect, test } from 'vitest';
import { createForkDispatcher, type ForkOptions } from '../src/index.ts';

const module = new URL('file:///nothing/is/started.js');

test.each([
  [undefined, 'undefined'],
  ['./tasks.js', './tasks.js'],
  ['file:///tasks.js', 'file:///tasks.js'],
  [{ href: 'file:///tasks.js' }, '[object Object]'],
  [Object.create(null), 'an object without text'],
])('createForkDispatcher() refuses a module that is no URL: %j', (wrong, shown) => {
  expect(() => createForkDispatcher(wrong as never)).toThrow(
    new TypeError(`Cannot create dispatcher: \`module\` must be a URL, got ${shown}`),
  );
});

test.each<[unknown, string]>([
  [null, '`options` must be an object, got null'],
  ['fast', '`options` must be an object, got fast'],
  [{ maxQueueSize: 5 }, 'unknown option `maxQueueSize`; did you mean `maxQueue`?'],
  [{ workers: 2 }, 'unknown option `workers`; did you mean `max`?'],
  [
    { resourceLimits: {} },
    'unknown option `resourceLimits`; known are env, cwd, uid, gid, execPath, execArgv, killWithParent, output, workerUrl, name, min, max, window, maxQueue, maxWaitMs, abortGraceMs, stopGraceMs, startTimeoutMs, healthMs, idleTimeoutMs, recycle, restart, busyPoll, workerData, clock, random',
  ],
  [{ env: 'PATH' }, '`env` must be an object, got PATH'],
  [{ env: null }, '`env` must be an object, got null'],
  [{ workerUrl: Object.create(null) }, '`workerUrl` must be a URL, got an object without text'],
  [{ execArgv: '--no-warnings' }, '`execArgv` must be a list of texts, got --no-warnings'],
  [{ execArgv: [1] }, '`execArgv` must be a list of texts, got 1'],
  [{ cwd: '' }, "`cwd` must be the path or file URL of a folder that exists, got ''"],
  [
    { cwd: '/nothing/here' },
    '`cwd` must be the path or file URL of a folder that exists, got /nothing/here',
  ],
  [
    { cwd: new URL('https://example.com/') },
    '`cwd` must be the path or file URL of a folder that exists, got https://example.com/',
  ],
  [{ cwd: 7 }, '`cwd` must be the path or file URL of a folder that exists, got 7'],
  [{ uid: 'nobody' }, '`uid` must be an integer of 0 to 4294967295, got nobody'],
  [{ gid: '0' }, '`gid` must be an integer of 0 to 4294967295, got 0'],
  [{ execPath: '' }, "`execPath` must be the path of a program, or its name, got ''"],
  [{ execPath: 20 }, '`execPath` must be the path of a program, or its name, got 20'],
  [{ output: 'pipe' }, '`output` must be inherit, ignore or a function, got pipe'],
  [{ killWithParent: 'yes' }, '`killWithParent` must be true or false, got yes'],
  [
    { workerUrl: new URL('file:///nowhere/worker.js') },
    '`workerUrl` must be the URL of a copy of @ticketing/dispatch-fork/worker, got file:///nowhere/worker.js, which does not exist',
  ],
  [{ workerUrl: './worker.js' }, '`workerUrl` must be a URL, got ./worker.js'],
  [{ name: '' }, "`name` must be a text, got ''"],
  [{ max: '2' }, '`max` must be an integer of 1 to 1024, got 2'],
])('createForkDispatcher() refuses options %j', (options, message) => {
  expect(() => createForkDispatcher(module, options as ForkOptions)).toThrow(
    new TypeError(`Cannot create dispatcher: ${message}`),
  );
});

test('createForkDispatcher() refuses options that are out of range', () => {
  expect(() => createForkDispatcher(module, { uid: -1 })).toThrow(
    new RangeError('Cannot create dispatcher: `uid` must be an integer of 0 to 4294967295, got -1'),
  );
  expect(() => createForkDispatcher(module, { gid: 2 ** 32 })).toThrow(
    new RangeError(
      'Cannot create dispatcher: `gid` must be an integer of 0 to 4294967295, got 4294967296',
    ),
  );
  expect(() => createForkDispatcher(module, { max: 0 })).toThrow(
    new RangeError('Cannot create dispatcher: `max` must be an integer of 1 to 1024, got 0'),
  );
});

test("a transfer of Node's shared pool is refused, as where buffers are moved", async () => {
  const dispatcher = createForkDispatcher(module, { max: 1 });
  const bytes = Buffer.from('in the pool');
  const transfer = [bytes.buffer];
  await expect(dispatcher.run('echo', bytes, { transfer })).rejects.toThrow(
    "Cannot run task: `transfer` must have buffers that can be moved, got Node's shared pool",
  );
  await dispatcher.close();
});
