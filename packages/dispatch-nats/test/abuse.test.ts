import { createInProcessDispatcher, defineTasks } from '@ticketing/dispatch';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { createNatsDispatcher, type NatsDispatcher, serveNatsTasks } from '../src/index.ts';
import { serveJson } from '../src/json/index.ts';

const nats = { servers: 'nats://127.0.0.1:1' };
const fleet = 'test';
const tasks = defineTasks({ echo: (value: unknown) => value });
const dispatcher = createInProcessDispatcher(tasks);
afterAll(() => dispatcher.close());

test('createNatsDispatcher() is typed by a module of tasks', () => {
  type Module = { readonly default: typeof tasks };
  const create = () => createNatsDispatcher<Module>({ nats, fleet });
  expectTypeOf(create).returns.toEqualTypeOf<NatsDispatcher<typeof tasks.tasks>>();
});

test.each<[unknown, string]>([
  [undefined, '`options` must be an object, got undefined'],
  [{ fleet }, '`nats` must be a connection to NATS or the options of one, got undefined'],
  [
    { nats: 'localhost', fleet },
    '`nats` must be a connection to NATS or the options of one, got localhost',
  ],
  [{ nats }, '`fleet` must be 1 to 32 of a-z, 0-9 and -, got undefined'],
  [{ nats, fleet: 'a.b' }, '`fleet` must be 1 to 32 of a-z, 0-9 and -, got a.b'],
  [{ nats, fleet: '>' }, '`fleet` must be 1 to 32 of a-z, 0-9 and -, got >'],
  [{ nats, fleet, tasks: 'echo' }, '`tasks` must be a list of texts, got echo'],
  [{ nats, fleet, hosts: 3 }, '`hosts` must be an object, got 3'],
  [{ nats, fleet, hosts: { max: 0 } }, '`hosts.max` must be an integer of 1 to 256, got 0'],
  [
    { nats, fleet, hosts: { zone: '' } },
    "`hosts.zone` must be a text of 1 to 64 characters, got ''",
  ],
  [{ nats, fleet, hosts: { min: 1 } }, 'unknown option `hosts.min`; known are max, zone'],
  [{ nats, fleet, beatMs: 1 }, '`beatMs` must be an integer of 20 to 60000, got 1'],
  [{ nats, fleet, missedBeats: 0 }, '`missedBeats` must be an integer of 1 to 100, got 0'],
  [
    { nats, fleet, maxMessageBytes: 1 },
    '`maxMessageBytes` must be an integer of 1024 to 1073741824, got 1',
  ],
  [{ nats, fleet, max: 2 }, /^Cannot create NATS dispatcher: unknown option `max`; /],
  [{ nats, fleet, recycle: {} }, /^Cannot create NATS dispatcher: unknown option `recycle`; /],
  [
    { nats, fleet, workerData: 1 },
    '`workerData` does not apply, because hosts start their workers; give it to the dispatcher of `serveNatsTasks`',
  ],
  [{ nats, fleet, window: 0 }, '`window` must be auto or an integer of 1 to 65536, got 0'],
] as [unknown, string][])('createNatsDispatcher() refuses %j', (options, message) => {
  const expected =
    typeof message === 'string' ? `Cannot create NATS dispatcher: ${message}` : message;
  expect(() => createNatsDispatcher(options as never)).toThrow(expected);
});

const host = { nats, fleet, dispatcher, tasks: ['echo'] };
test.each<[string, unknown, string]>([
  ['nothing', undefined, '`options` must be an object, got undefined'],
  [
    'no dispatcher',
    { ...host, dispatcher: undefined },
    '`dispatcher` must be a dispatcher, got undefined',
  ],
  [
    'a module',
    { ...host, dispatcher: {} },
    '`dispatcher` must be a dispatcher, got [object Object]',
  ],
  [
    'no tasks',
    { ...host, tasks: undefined },
    '`tasks` must be a list of one or more texts, got undefined',
  ],
  ['an empty list', { ...host, tasks: [] }, '`tasks` must be a list of one or more texts, got []'],
  [
    'an id with a dot',
    { ...host, hostId: 'a.b' },
    '`hostId` must be 1 to 32 of a-z, 0-9 and -, got a.b',
  ],
  ['no capacity', { ...host, capacity: 0 }, '`capacity` must be an integer of 1 to 1048576, got 0'],
  [
    'no session',
    { ...host, maxSessions: 0 },
    '`maxSessions` must be an integer of 1 to 65536, got 0',
  ],
  [
    'true for json',
    { ...host, json: true },
    '`json` must be `serveJson` of @ticketing/dispatch-nats/json, got true',
  ],
  [
    'a task that is no part of a subject, with json',
    { ...host, tasks: ['echo.*'], json: serveJson },
    '`tasks` must be names of letters, digits, _, - and dots between them, because `json` is used, got echo.*',
  ],
  ['another option', { ...host, reports: 1 }, 'unknown option `reports`; did you mean `report`?'],
])('serveNatsTasks() refuses %s', (_, options, message) => {
  expect(() => serveNatsTasks(options as never)).toThrow(`Cannot serve NATS tasks: ${message}`);
});

test('drain() of a host refuses wrong options, and changes nothing', async () => {
  const served = serveNatsTasks(host as never);
  await expect(served.drain({ timeoutMs: 0 })).rejects.toThrow(
    'Cannot drain: `timeoutMs` must be 1 to 2147483647, got 0',
  );
  expect(served.state).toBe('connecting');
  await served.close();
  await expect(served.ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' });
});
