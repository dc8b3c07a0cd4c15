interface DispatchKind {
  /** Kind of the workers; `undefined` if there are none. */
  readonly workers: 'processes' | 'threads' | undefined;
  /** True if the server processes run the tasks, unless there is only one. */
  readonly inServers?: true;
  /** True if hosts of a fleet run the tasks. */
  readonly inFleet?: true;
}

/** Every value of `--dispatch`, and what is known of it before it is started. */
const dispatchKinds = {
  'in-process': { workers: undefined },
  fork: { workers: 'processes' },
  piscina: { workers: 'threads' },
  cluster: { workers: 'processes', inServers: true },
  nats: { workers: undefined, inFleet: true },
} satisfies Record<string, DispatchKind>;

export type DispatchName = keyof typeof dispatchKinds;
export const DISPATCH_NAMES = Object.keys(dispatchKinds) as readonly DispatchName[];

/** Returns what is known of a dispatcher before it is started. */
export function dispatchKind(name: DispatchName): DispatchKind {
  return dispatchKinds[name];
}

/** Values of `--dispatch` that have workers of their own. */
export const DISPATCHES_WITH_WORKERS = DISPATCH_NAMES.filter(
  (name) => dispatchKind(name).workers !== undefined,
);
