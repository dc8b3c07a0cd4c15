import { readFileSync } from 'node:fs';
import type { FlagSpec } from '@ticketing/cli-kit';
import { usableCores } from '@ticketing/kit';
import { expect, test } from 'vitest';
import { CARRIER_NAMES } from '../src/carriers/carriers.ts';
import { DISPATCH_NAMES, DISPATCHES_WITH_WORKERS } from '../src/flags/dispatch-kinds.ts';
import { flagSpecs } from '../src/flags/flag-specs.ts';
import { readHostFlags } from '../src/flags/host-flags.ts';
import { readFlags } from '../src/flags/read-flags.ts';
import { natsOptions } from '../src/nats/nats-options.ts';

test('readFlags() fills every default', () => {
  const rows = Object.entries<FlagSpec<unknown>>(flagSpecs);
  expect(readFlags([], {}).flags).toEqual({
    ...Object.fromEntries(rows.map(([key, { fallback }]) => [key, fallback])),
    workers: 1,
    dispatchWorkers: 1,
    operator: 'on',
    ouigo: { username: 'demo', password: 'demo' },
  });
});

test('readFlags() takes a flag before its variable, and the variable before the default', () => {
  const env = { PORT: '4000', DEADLINE_MS: '5' };
  const { flags, rows } = readFlags(['--port=5000'], env);
  expect(flags).toMatchObject({ port: 5000, deadlineMs: 5 });
  expect(rows).toContainEqual({ flag: '--port', value: '5000', from: '--port' });
  expect(rows).toContainEqual({ flag: '--deadline-ms', value: '5', from: 'DEADLINE_MS' });
  expect(rows).toContainEqual({ flag: '--latency', value: '50 ms', from: 'default' });
});

test.each([
  [['--latency', '0'], {}, { kind: 'fixed', ms: 0 }],
  [['--latency', 'random'], {}, { kind: 'random' }],
  [['--latency', '40:400'], {}, { kind: 'lognormal', p50Ms: 40, p99Ms: 400 }],
  [[], { LATENCY: '7' }, { kind: 'fixed', ms: 7 }],
  [[], { USE_RANDOM_DELAY: 'true' }, { kind: 'random' }],
  [[], { USE_RANDOM_DELAY: 'false' }, { kind: 'fixed', ms: 50 }],
  [['--latency', '9'], { USE_RANDOM_DELAY: 'true' }, { kind: 'fixed', ms: 9 }],
] as const)('readFlags(%j, %j) reads the latency', (argv, env, latency) => {
  expect(readFlags(argv, env).flags.latency).toEqual(latency);
});

test.each([
  [['--dispatch', 'piscina'], {}, 'piscina'],
  [[], { DISPATCH: 'fork' }, 'fork'],
  [[], { USE_CHILD_PROCESSES: 'true' }, 'fork'],
  [[], { USE_CHILD_PROCESSES: 'false' }, 'in-process'],
  [['--dispatch', 'in-process'], { USE_CHILD_PROCESSES: 'true' }, 'in-process'],
  [[], { USE_CHILD_PROCESSES: 'true', DISPATCH: 'fork' }, 'fork'],
] as const)('readFlags(%j, %j) reads where tasks run', (argv, env, dispatch) => {
  expect(readFlags(argv, env).flags.dispatch).toBe(dispatch);
});

test('readFlags() gives a dispatcher one worker per core by default', () => {
  const workers = (...argv: string[]) =>
    readFlags(['--dispatch', 'fork', ...argv], {}).flags.dispatchWorkers;
  expect(workers()).toBe(usableCores());
  expect(workers('--dispatch-workers', 'auto')).toBe(usableCores());
  expect(workers('--dispatch-workers', '3')).toBe(3);
});

test.each([
  [['--accept', 'cluster'], { workers: usableCores(), dispatchWorkers: 1 }],
  [['--accept', 'cluster', '--workers', '3'], { workers: 3, dispatchWorkers: 1 }],
  [['--accept', 'cluster', '--workers', '3', '--dispatch', 'cluster'], { dispatchWorkers: 3 }],
  [['--accept', 'cluster', '--dispatch', 'fork'], { dispatchWorkers: 1 }],
  [
    ['--accept', 'cluster', '--workers', '1', '--dispatch', 'fork', '--dispatch-workers', '4'],
    { dispatchWorkers: 4 },
  ],
  [['--dispatch', 'cluster', '--dispatch-workers', '3'], { workers: 1, dispatchWorkers: 3 }],
])('readFlags(%j) counts the workers', (argv, counts) => {
  expect(readFlags(argv, {}).flags).toMatchObject(counts);
});

test('readFlags() takes the address of a collector from the variable that all of OpenTelemetry use', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@collector:4318/' };
  const { flags, rows } = readFlags(['--otel-sample', '.25'], env);
  expect(flags).toMatchObject({ otel: 'http://user:secret@collector:4318', otelSample: 0.25 });
  const from = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  expect(rows).toContainEqual({ flag: '--otel', value: 'http://collector:4318', from });
});

test.each<[argv: string[], expected: object]>([
  [[], { guard: true, rate: {}, hedge: [] }],
  [['--guard', 'off'], { guard: false }],
  [
    ['--rate', 'hafas=5:10,renfe=0.1:5'],
    { rate: { renfe: { perSecond: 0.1, burst: 5 }, hafas: { perSecond: 5, burst: 10 } } },
  ],
  [
    ['--rate', 'public'],
    { rate: { renfe: { perSecond: 0.1, burst: 5 }, hafas: { perSecond: 5, burst: 5 } } },
  ],
  [['--rate', 'off'], { rate: {} }],
  [['--hedge', 'osdm,ouigo'], { hedge: ['ouigo', 'osdm'] }],
  // A question to Renfe is four calls: it must be named, as a carrier that computes here.
  [['--hedge', 'all'], { hedge: ['ouigo', 'avlo', 'osdm', 'hafas', 'ojp', 'navitia'] }],
  [['--hedge', 'renfe'], { hedge: ['renfe'] }],
])('readFlags() reads %j for the guards', (argv, expected) => {
  expect(readFlags(argv, {}).flags).toMatchObject(expected);
});

test.each<[text: string, expected: readonly object[]]>([
  ['off', []],
  ['Paris=75', [{ id: 'city:fr:paris', minMinutes: 75 }]],
  [
    'uic:7171801=45, Zürich HB=0',
    [
      { id: 'uic:7171801', minMinutes: 45 },
      { id: 'uic:8503000', minMinutes: 0 },
    ],
  ],
])('readFlags() reads --hubs %s', (text, expected) => {
  const { flags, rows } = readFlags(['--hubs', text], {});
  expect(flags.hubs).toEqual(expected);
  // Shown in a form that it reads.
  const shown = rows.find(({ flag }) => flag === '--hubs')?.value ?? '';
  expect(readFlags(['--hubs', shown], {}).flags.hubs).toEqual(expected);
});

test.each(['', 'Paris', 'Paris=', 'Paris=1441', 'Atlantis=30', 'Paris=75,Paris=60', 'Paris=-1'])(
  'readFlags() refuses --hubs %j',
  (text) => {
    expect(() => readFlags(['--hubs', text], {})).toThrow(
      /^Cannot start: --hubs must be off, or station=minutes with commas/,
    );
  },
);

test('the usual hubs are shown in a form that --hubs reads', () => {
  const { rows, flags } = readFlags([], {});
  const shown = rows.find(({ flag }) => flag === '--hubs')?.value ?? '';
  expect(readFlags(['--hubs', shown], {}).flags.hubs).toEqual(flags.hubs);
  expect(flags.hubs).toHaveLength(4);
});

test('the rates of a start are shown as they are written', () => {
  const { rows } = readFlags(['--rate', 'public', '--hedge', 'ouigo'], {});
  expect(rows).toContainEqual({
    ...{ flag: '--rate', value: 'renfe=0.1:5,hafas=5:5', from: '--rate' },
  });
  expect(rows).toContainEqual({ flag: '--hedge', value: 'ouigo', from: '--hedge' });
});

test.each(['auto', 'off', 12] as const)('readFlags() reads --max-in-flight %s', (value) => {
  expect(readFlags(['--max-in-flight', String(value)], {}).flags.maxInFlight).toBe(value);
});

test('readFlags() sorts and checks the carriers, and trims the URL', () => {
  const { flags } = readFlags(
    ['--carriers', 'avlo,renfe', '--carriers-url', 'http://127.0.0.1:1/x/'],
    {},
  );
  expect(flags).toMatchObject({ carriers: ['renfe', 'avlo'], carriersUrl: 'http://127.0.0.1:1/x' });
});

test.each([
  [
    ['--deadline-ms', '0'],
    {},
    "Cannot start: --deadline-ms must be an integer from 1 to 600000, got '0'",
  ],
  [
    ['--deadline-ms', '1.5'],
    {},
    "Cannot start: --deadline-ms must be an integer from 1 to 600000, got '1.5'",
  ],
  [
    ['--max-in-flight', '0'],
    {},
    "Cannot start: --max-in-flight must be off, auto, or an integer from 1 to 10000, got '0'",
  ],
  [
    ['--rate', 'renfe=0:5'],
    {},
    "Cannot start: --rate must be off, public, or carrier=perSecond:burst with commas, such as renfe=0.1:5,hafas=5:10, got 'renfe=0:5'",
  ],
  [
    ['--rate', 'renfe=1:5,renfe=2:5'],
    {},
    "Cannot start: --rate must be off, public, or carrier=perSecond:burst with commas, such as renfe=0.1:5,hafas=5:10, got 'renfe=1:5,renfe=2:5'",
  ],
  [
    ['--hedge', 'ouigoo'],
    {},
    `Cannot start: --hedge must be off, all, or some of ${CARRIER_NAMES}, got 'ouigoo'; did you mean ouigo?`,
  ],
  [['--guard', 'off', '--rate', 'public'], {}, 'Cannot start: --rate is for --guard on, got off'],
  [['--guard', 'off'], { HEDGE: 'all' }, 'Cannot start: HEDGE is for --guard on, got off'],
  [['--host', ''], {}, "Cannot start: --host must be text, got ''"],
  [
    ['--carriers', ''],
    {},
    `Cannot start: --carriers must be all, or some of ${CARRIER_NAMES}, got ''`,
  ],
  [
    ['--carriers', 'renfe,renfe'],
    {},
    `Cannot start: --carriers must be all, or some of ${CARRIER_NAMES}, got 'renfe,renfe'`,
  ],
  [
    ['--carriers-url', 'localhost:1'],
    {},
    "Cannot start: --carriers-url must be an http or https URL, got '…'",
  ],
  [
    ['--latency', 'slow'],
    {},
    "Cannot start: --latency must be milliseconds up to 60000, p50:p99, or random, got 'slow'",
  ],
  [
    ['--latency', '9:3'],
    {},
    "Cannot start: --latency must be milliseconds up to 60000, p50:p99, or random, got '9:3'",
  ],
  [
    ['--coalesce', 'maybe'],
    {},
    "Cannot start: --coalesce must be one of on, machine, fleet, shared, off, got 'maybe'",
  ],
  [
    ['--accept', 'many'],
    {},
    "Cannot start: --accept must be one of single, cluster, passthru, socket, got 'many'",
  ],
  [
    ['--accept', 'socket', '--route-by', 'cookie'],
    {},
    "Cannot start: --route-by must be search-key, none, or header:<name>, got 'cookie'",
  ],
  [
    ['--accept', 'socket', '--route-by', 'header:a b'],
    {},
    "Cannot start: --route-by must be search-key, none, or header:<name>, got 'header:a b'",
  ],
  [
    ['--route-by', 'none'],
    {},
    'Cannot start: --route-by is for --accept socket and passthru, got single',
  ],
  [['--tls-cert', 'a.pem'], {}, 'Cannot start: --tls-key must be set too, got --tls-cert alone'],
  [[], { TLS_KEY: 'a.pem' }, 'Cannot start: --tls-cert must be set too, got TLS_KEY alone'],
  [
    ['--accept', 'passthru', '--tls-cert', 'a.pem', '--tls-key', 'b.pem'],
    {},
    'Cannot start: --tls-cert is for --accept single, cluster and socket, got passthru',
  ],
  [
    ['--workers', '65'],
    {},
    "Cannot start: --workers must be auto, or an integer from 1 to 64, got '65'",
  ],
  [
    [],
    { WORKERS: '2' },
    'Cannot start: WORKERS above 1 is for --accept cluster, passthru and socket, got single',
  ],
  [
    ['--accept', 'cluster', '--dispatch', 'cluster', '--dispatch-workers', '2'],
    {},
    'Cannot start: --dispatch-workers is for workers that run tasks only, got --accept cluster with --dispatch cluster, which runs tasks in the server processes',
  ],
  [
    ['--accept', 'cluster', '--workers', '64', '--dispatch', 'fork', '--dispatch-workers', '5'],
    {},
    'Cannot start: --workers x --dispatch-workers must be 256 at most, got 64 x 5',
  ],
  [
    ['--dispatch', 'threads'],
    {},
    `Cannot start: --dispatch must be one of ${DISPATCH_NAMES.join(', ')}, got 'threads'`,
  ],
  [
    ['--dispatch-workers', '0'],
    {},
    "Cannot start: --dispatch-workers must be auto, or an integer from 1 to 64, got '0'",
  ],
  [
    ['--dispatch-workers', '2'],
    {},
    `Cannot start: --dispatch-workers above 1 is for ${DISPATCHES_WITH_WORKERS.join(', ')}, got in-process`,
  ],
  [
    ['--offload', 'half'],
    {},
    "Cannot start: --offload must be one of whole, normalise, search, got 'half'",
  ],
  [
    [],
    { USE_CHILD_PROCESSES: 'true', DISPATCH: 'piscina' },
    'Cannot start: only one of DISPATCH and USE_CHILD_PROCESSES may be set, got both',
  ],
  [
    ['--coalesce', 'fleet'],
    {},
    'Cannot start: --coalesce fleet must have --dispatch nats or --nats-url, got neither',
  ],
  [['--coalesce', 'shared'], {}, 'Cannot start: --coalesce shared must have --redis-url, got none'],
  [['--redis-url', 'redis://a'], {}, 'Cannot start: --redis-url is for --coalesce shared, got on'],
  [
    ['--redis-timeout-ms', '70'],
    {},
    'Cannot start: --redis-timeout-ms is for --coalesce shared, got on',
  ],
  [
    ['--coalesce', 'shared', '--redis-url', 'redis://a', '--redis-timeout-ms', '0'],
    {},
    "Cannot start: --redis-timeout-ms must be an integer from 1 to 60000, got '0'",
  ],
  [
    ['--coalesce', 'shared', '--redis-url', 'http://a'],
    {},
    "Cannot start: --redis-url must be a redis:// or rediss:// URL, got 'http://a'",
  ],
  [
    ['--nats-url', 'nats://a'],
    {},
    'Cannot start: --nats-url is for --dispatch nats and --coalesce fleet, got neither',
  ],
  [
    ['--fleet', 'blue', '--dispatch', 'fork'],
    {},
    'Cannot start: --fleet is for --dispatch nats and --coalesce fleet, got neither',
  ],
  [
    ['--zone', 'a'],
    { NATS_URL: 'nats://a' },
    'Cannot start: --zone is for --dispatch nats and --coalesce fleet, got neither',
  ],
  [
    ['--fallback', 'off', '--coalesce', 'fleet', '--nats-url', 'nats://a'],
    {},
    'Cannot start: --fallback is for --dispatch nats, got in-process',
  ],
  [
    ['--dispatch', 'nats', '--fallback', '0'],
    {},
    "Cannot start: --fallback must be off, or an integer from 1 to 10000, got '0'",
  ],
  [
    ['--dispatch', 'nats', '--fleet', 'My Fleet'],
    {},
    "Cannot start: --fleet must be 1 to 24 lower-case letters, digits and dashes, got 'My Fleet'",
  ],
  [
    ['--dispatch', 'nats', '--nats-url', 'http://user:s3cret@a'],
    {},
    "Cannot start: --nats-url must be nats:// or tls:// URLs of one cluster, with commas, got 'http://a'",
  ],
  [
    ['--dispatch', 'nats', '--dispatch-workers', '2'],
    {},
    `Cannot start: --dispatch-workers above 1 is for ${DISPATCHES_WITH_WORKERS.join(', ')}, got nats`,
  ],
  [
    ['--worms', '0', '--database-url', 'postgres://db/worms'],
    {},
    'Cannot start: --worms 0 means no store, got --database-url too',
  ],
  [
    ['--allowed-hosts', 'a.test,b test'],
    {},
    "Cannot start: --allowed-hosts must be host names, with commas, got 'a.test,b test'",
  ],
  [['--worms=-1'], {}, "Cannot start: --worms must be an integer from 0 to 10000000, got '-1'"],
  [
    [],
    { WORMS: '10000001' },
    "Cannot start: WORMS must be an integer from 0 to 10000000, got '10000001'",
  ],
  [
    ['--database-url', 'mysql://user:s3cret@db/worms?password=s3cret'],
    {},
    "Cannot start: --database-url must be a postgres:// or mongodb:// URL, got 'mysql://db/worms'",
  ],
  [
    [],
    { DATABASE_URL: 's3cret' },
    "Cannot start: DATABASE_URL must be a postgres:// or mongodb:// URL, got '…'",
  ],
  [
    ['--page-key', 'short'],
    {},
    "Cannot start: --page-key must be text of 16 to 200 characters, got '…'",
  ],
  [['--log-requests', 'yes'], {}, "Cannot start: --log-requests must be on or off, got 'yes'"],
  [[], { USE_RANDOM_DELAY: '1' }, "Cannot start: USE_RANDOM_DELAY must be true or false, got '1'"],
  [
    [],
    { USE_RANDOM_DELAY: 'true', LATENCY: '9' },
    'Cannot start: only one of LATENCY and USE_RANDOM_DELAY may be set, got both',
  ],
  [
    ['--carriers-url', 'http://x', '--latency', '1'],
    {},
    'Cannot start: --latency is for the embedded simulator, got --carriers-url too',
  ],
  [['--port'], {}, 'Cannot start: --port must have a value: an integer from 0 to 65535'],
  [
    ['--port', '--host', 'x'],
    {},
    'Cannot start: --port must have a value: an integer from 0 to 65535',
  ],
  [
    ['--accept', 'clustr'],
    {},
    "Cannot start: --accept must be one of single, cluster, passthru, socket, got 'clustr'; did you mean cluster?",
  ],
  [['--accpet', 'cluster'], {}, 'Cannot start: unknown flag --accpet; did you mean --accept?'],
  [['--speed', '9'], {}, 'Cannot start: unknown flag --speed; --help lists the flags'],
  [['-x'], {}, 'Cannot start: unknown flag -x; --help lists the flags'],
  [['extra'], {}, "Cannot start: unexpected argument 'extra'; --help lists the flags"],
  [['--show-flags=yes'], {}, "Cannot start: --show-flags must be on or off, got 'yes'"],
  [
    [],
    { DISPATCH: 'piscena' },
    `Cannot start: DISPATCH must be one of ${DISPATCH_NAMES.join(', ')}, got 'piscena'; did you mean piscina?`,
  ],
  [['--otel', 'localhost:4318'], {}, "Cannot start: --otel must be an http or https URL, got '…'"],
  [['--otel-sample', '2'], {}, "Cannot start: --otel-sample must be a number from 0 to 1, got '2'"],
  [['--otel-sample', '0.1'], {}, 'Cannot start: --otel-sample is for --otel, which is not set'],
] as const)('readFlags(%j, %j) is refused', (argv, env, message) => {
  expect(() => readFlags(argv, env)).toThrow(new Error(message));
});

test.each([
  [
    'postgres://user:s3cret@db:5432/worms?sslmode=disable&password=s3cret',
    'postgres://db:5432/worms',
  ],
  ['postgresql://db/worms', 'postgresql://db/worms'],
  ['postgres://user:s3c@ret@db/worms', 'postgres://db/worms'],
  [
    'mongodb://user:s3cret@one:27017,two:27017/worms?authSource=admin',
    'mongodb://one:27017,two:27017/worms',
  ],
])('readFlags() takes the database %s, and shows %s', (url, shown) => {
  const { flags, rows } = readFlags([], { DATABASE_URL: url });
  expect(flags.databaseUrl).toBe(url);
  expect(rows).toContainEqual({ flag: '--database-url', value: shown, from: 'DATABASE_URL' });
});

test.each([
  ['nats://a:4222', 'nats://a:4222'],
  ['nats://user:s3cret@a:4222,nats://user:s3cret@b:4222', 'nats://a:4222,nats://b:4222'],
  ['tls://s3cret@a', 'tls://a'],
])('readFlags() takes the NATS servers %s, and shows %s', (url, shown) => {
  const { flags, rows } = readFlags(['--dispatch', 'nats'], { NATS_URL: url });
  expect(flags.natsUrl).toBe(url);
  expect(rows).toContainEqual({ flag: '--nats-url', value: shown, from: 'NATS_URL' });
});

test('readFlags() takes the URL of Redis, and shows it without credentials', () => {
  const url = 'rediss://user:s3cret@a:6380/2';
  const { flags, rows } = readFlags(['--coalesce', 'shared'], { REDIS_URL: url });
  expect(flags.redisUrl).toBe(url);
  expect(rows).toContainEqual({
    flag: '--redis-url',
    value: 'rediss://a:6380/2',
    from: 'REDIS_URL',
  });
});

test('NATS_URL and REDIS_URL, which other programs read too, change nothing by themselves', () => {
  const { flags } = readFlags([], { NATS_URL: 'nats://a', REDIS_URL: 'redis://a' });
  expect(flags).toMatchObject({ dispatch: 'in-process', coalesce: 'on' });
});

test('natsOptions() reads credentials from the URL, which the client of NATS does not', () => {
  const of = (natsUrl: string) => natsOptions({ natsUrl }, 'x');
  expect(of('nats://a,nats://b:4223')).toEqual({
    name: 'ticketing-demo x',
    servers: ['a', 'b:4223'],
  });
  expect(of('nats://me:p%40ss@a')).toMatchObject({ servers: ['a'], user: 'me', pass: 'p@ss' });
  expect(of('tls://t0ken@a')).toMatchObject({ servers: ['a'], token: 't0ken', tls: {} });
});

test('readHostFlags() has the flags of the server that concern a host, and its own', () => {
  const argv = [
    '--nats-url',
    'nats://a',
    '--fleet=blue',
    '--name',
    'one',
    '--port=1',
    '--zone',
    'z',
  ];
  const { flags, name, port } = readHostFlags(argv, { DISPATCH: 'fork', DISPATCH_WORKERS: '3' });
  expect({ name, port }).toEqual({ name: 'one', port: 1 });
  expect(flags).toMatchObject({
    ...{ natsUrl: 'nats://a', fleet: 'blue', zone: 'z', dispatch: 'fork', dispatchWorkers: 3 },
    ...{ deadlineMs: 2000, carriers: CARRIER_NAMES },
  });
  expect(readHostFlags(['--nats-url=nats://a'], {}).name).toMatch(/^[a-z\d-]{1,24}$/);
});

test.each([
  [[], 'Cannot start: a host must have --nats-url, got none'],
  [
    ['--nats-url', 'nats://a', '--dispatch', 'nats'],
    'Cannot start: a host runs tasks itself: --dispatch must be another, got nats',
  ],
  [['--accept', 'cluster'], 'Cannot start: unknown flag --accept; --help lists the flags'],
])('readHostFlags(%j) is refused', (argv, message) => {
  expect(() => readHostFlags(argv, {})).toThrow(new Error(message));
});

const page = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('README.md names flags and values that exist', () => {
  const [, chapter = ''] = /## Compose it\n(.*?)\n## /s.exec(page('README.md')) ?? [];
  const rows = [...chapter.matchAll(/^\| `--([a-z-]+)` +\| ([^|]*)\|/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, name = '', text = ''] of rows) {
    const [values = ''] = text.split(': ');
    for (const [, value] of values.matchAll(/`([a-z-]+)`/g)) {
      expect(
        () => readFlags([`--${name}=${value}`, ...besides(name, value)], {}),
        value,
      ).not.toThrow();
    }
  }
});

/** Flags that a flag or a value needs. */
function besides(name: string, value = ''): readonly string[] {
  const needs: Readonly<Record<string, readonly string[]>> = {
    workers: ['--accept=socket'],
    'route-by': ['--accept=socket'],
    machine: ['--accept=cluster'],
    fleet: ['--nats-url=nats://a'],
    nats: ['--nats-url=nats://a'],
    shared: ['--redis-url=redis://a'],
    normalise: ['--dispatch=fork'],
    search: ['--dispatch=fork'],
  };
  return needs[value] ?? needs[name] ?? [];
}

test('the reference has a row for every flag, with its default', () => {
  const reference = page('../../docs/reference/demo-server.md');
  for (const spec of Object.values<FlagSpec<unknown>>(flagSpecs)) {
    const { name, fallback, absent = 'none', show = (value) => String(value) } = spec;
    const row = reference.split('\n').find((line) => line.startsWith(`| \`--${name}\` `));
    const [, , , shown = ''] = row?.split(/ *\| */) ?? [];
    const words = { true: 'on', false: 'off', [CARRIER_NAMES.join()]: 'all' };
    const text = fallback === undefined ? absent : show(fallback as NonNullable<unknown>);
    expect(shown.replaceAll('`', ''), name).toBe(words[text] ?? text);
  }
});

test('every command line of the README and the reference is one that the demo accepts', () => {
  const pages = ['README.md', '../../README.md', '../../docs/reference/demo-server.md'].map(page);
  const lines = [...pages.join('\n').matchAll(/^npm run demo -- +([^#\n]*)/gm)];
  expect(lines.length).toBeGreaterThan(6);
  for (const [line, flags = ''] of lines) {
    expect(() => readFlags(flags.trim().split(/\s+/), {}), line).not.toThrow();
  }
});

test('every flag that pages about the demo name is one of its programs', () => {
  const pages = ['README.md', '../../README.md', '../../docs/choosing.md'].map(page);
  const reference = page('../../docs/reference/demo-server.md');
  const text = [...pages, reference].join('\n');
  const names = Object.values<FlagSpec<unknown>>(flagSpecs).map(({ name }) => name);
  // Those of the host, and of other programs in the same commands.
  const others = ['name', 'help', 'filter', 'project', 'rounds'];
  const named = [...text.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((name = '') => ![...names, ...others].includes(name))).toEqual([]);
});
