/** Where tasks run. Transports of others have names of their own. */
export type DispatcherKind = 'in-process' | 'fork' | 'cluster' | 'piscina' | (string & {});

/** `degraded`: it works with fewer workers than `min`, or its circuit is open. */
export type DispatcherState = 'starting' | 'ready' | 'degraded' | 'draining' | 'closed';
