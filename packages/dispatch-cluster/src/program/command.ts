import {
  anyText,
  type Command,
  flag,
  integerFrom,
  listOf,
  onOff,
  wordOr,
} from '@ticketing/cli-kit';

const longestMs = integerFrom(0, 999_999_999);

const flags = {
  workers: flag<number | 'auto'>({
    name: 'workers',
    about: 'Number of workers; auto: one per core.',
    value: wordOr('auto', integerFrom(1, 1024)),
    fallback: 'auto',
  }),
  port: flag<number | undefined>({
    name: 'port',
    about: 'Port of the server: PORT in the environment of the program, which must read it.',
    value: integerFrom(1, 65_535),
    fallback: undefined,
    absent: "the program's",
  }),
  watch: flag<boolean>({
    name: 'watch',
    about: "Reloads the workers on a change in the program's folder.",
    value: onOff,
    fallback: false,
    bare: true,
  }),
  watchPaths: flag<readonly string[] | undefined>({
    name: 'watch-path',
    about: 'Files and folders whose change reloads the workers.',
    value: listOf(anyText),
    fallback: undefined,
  }),
  graceMs: flag<number>({
    name: 'grace-ms',
    about: 'Milliseconds that a worker has to answer its requests and end.',
    value: longestMs,
    fallback: 8000,
  }),
  lameDuckMs: flag<number | undefined>({
    name: 'lame-duck-ms',
    about:
      'Milliseconds, the first of --grace-ms, in which kept connections may send one more request.',
    value: longestMs,
    fallback: undefined,
    absent: '2000, half of --grace-ms at most',
  }),
  startTimeoutMs: flag<number>({
    name: 'start-timeout-ms',
    about: 'Milliseconds in which a worker must listen.',
    value: integerFrom(1, 999_999_999),
    fallback: 30_000,
  }),
  heartbeatMs: flag<number>({
    name: 'heartbeat-ms',
    about: 'Milliseconds between two checks that a worker is alive.',
    value: integerFrom(1, 999_999_999),
    fallback: 5000,
  }),
  maxMemoryMb: flag<number | undefined>({
    name: 'max-memory-mb',
    about: 'Megabytes of a worker at which it is replaced.',
    value: integerFrom(1, 1_000_000),
    fallback: undefined,
  }),
  maxRequests: flag<number | undefined>({
    name: 'max-requests',
    about: 'Requests of a worker after which it is replaced.',
    value: integerFrom(1, 999_999_999),
    fallback: undefined,
  }),
  inspect: flag<boolean>({
    name: 'inspect',
    about: 'Opens the inspector of each worker at a port of its own, which it prints.',
    value: onOff,
    fallback: false,
    bare: true,
  }),
  nodeOptions: flag<string | undefined>({
    name: 'node-options',
    about: "Node options of the workers: --node-options='--import tsx'.",
    value: anyText,
    fallback: undefined,
    takesDashes: true,
  }),
};

/** The command line of the program. */
export const command: Command<typeof flags> = {
  run: 'npx @ticketing/dispatch-cluster',
  about: [
    'Runs a server on every core: each worker runs the program, and its first server to listen is shared.',
    'Arguments after -- are those of the program. SIGTERM and SIGINT end it, SIGHUP reloads it.',
  ].join('\n'),
  verb: 'start cluster',
  words: { name: 'server.js' },
  flags,
};
