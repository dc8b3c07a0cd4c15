/** Engine that a set-up needs, as a process of the harness. */
export type EngineName = 'nats' | 'redis';

/** Combination of flags under which the demo is started. */
export interface Setup {
  readonly name: string;
  /** Flags of the demo, without addresses. */
  readonly flags: readonly string[];
  /** Engines that the harness starts, and can kill. */
  readonly engines: readonly EngineName[];
  /** Hosts of a fleet that the harness starts, and starts again. */
  readonly hosts: number;
  /** Parts that the faults may hit by a signal. */
  readonly parts: readonly Part[];
}

/** Part of the system that runs as a process. */
export type Part = 'primary' | 'server' | 'task' | 'host' | 'nats' | 'redis' | 'carriers';

/** Two of each: one that is lost leaves one. */
const SERVERS = ['--workers', '2'];
const ONE_EACH = ['--dispatch-workers', '1'];
const TWO = ['--dispatch-workers', '2'];

function setup(
  name: string,
  flags: readonly string[],
  more: Partial<Omit<Setup, 'name' | 'flags'>> = {},
): Setup {
  return {
    name,
    flags,
    engines: more.engines ?? [],
    hosts: more.hosts ?? 0,
    parts: more.parts ?? [],
  };
}

/**
 * Every set-up: each value of `--accept` with several of `--dispatch`, each of `--dispatch`, `--coalesce` and `--offload` at
 * least twice where it exists.
 */
export const SETUPS: readonly Setup[] = [
  setup('single-in-process', [
    '--accept',
    'single',
    '--dispatch',
    'in-process',
    '--coalesce',
    'on',
  ]),
  setup(
    'single-fork-search',
    ['--accept', 'single', '--dispatch', 'fork', ...TWO, '--offload', 'search'],
    { parts: ['task'] },
  ),
  setup(
    'single-cluster-search',
    [
      '--accept',
      'single',
      '--dispatch',
      'cluster',
      ...TWO,
      '--offload',
      'search',
      '--coalesce',
      'off',
    ],
    { parts: ['task'] },
  ),
  setup('single-own-fleet', ['--accept', 'single', '--dispatch', 'nats', '--coalesce', 'fleet'], {
    parts: ['host', 'nats'],
  }),
  setup(
    'cluster-in-process-machine',
    ['--accept', 'cluster', ...SERVERS, '--dispatch', 'in-process', '--coalesce', 'machine'],
    { parts: ['server'] },
  ),
  setup(
    'cluster-fork-shared',
    [
      ...['--accept', 'cluster', ...SERVERS, '--dispatch', 'fork', ...ONE_EACH],
      ...['--offload', 'normalise', '--coalesce', 'shared'],
    ],
    { parts: ['server', 'task'], engines: ['redis'] },
  ),
  setup(
    'cluster-cluster',
    ['--accept', 'cluster', ...SERVERS, '--dispatch', 'cluster', '--coalesce', 'on'],
    { parts: ['server'] },
  ),
  setup(
    'passthru-in-process-shared',
    ['--accept', 'passthru', ...SERVERS, '--dispatch', 'in-process', '--coalesce', 'shared'],
    { parts: ['server'], engines: ['redis'] },
  ),
  setup(
    'passthru-piscina-machine',
    [
      ...['--accept', 'passthru', ...SERVERS, '--dispatch', 'piscina', ...ONE_EACH],
      ...['--offload', 'normalise', '--coalesce', 'machine'],
    ],
    { parts: ['server'] },
  ),
  setup(
    'passthru-fleet-search',
    ['--accept', 'passthru', ...SERVERS, '--dispatch', 'nats', '--offload', 'search'],
    { parts: ['server', 'host'], engines: ['nats'], hosts: 2 },
  ),
  setup(
    'socket-fork-machine',
    [
      ...['--accept', 'socket', ...SERVERS, '--dispatch', 'fork', ...ONE_EACH],
      ...['--coalesce', 'machine'],
    ],
    { parts: ['server', 'task'] },
  ),
  setup(
    'socket-fleet',
    ['--accept', 'socket', ...SERVERS, '--dispatch', 'nats', '--coalesce', 'fleet'],
    { parts: ['server', 'host'], engines: ['nats'], hosts: 2 },
  ),
];

/** True if the primary serves requests itself. */
export function servesAlone({ flags }: Setup): boolean {
  return flags[flags.indexOf('--accept') + 1] === 'single';
}
