/** Milliseconds beyond the deadline that an answer may take between processes. */
export const TRANSIT_MS = 500;

/** Options of calls that only read: they run again when their worker is lost. */
export const retryOptions = { idempotent: true, retries: 1 } as const;

/** Options of reading calls to hosts, which are lost with the network, too: their deadline bounds them. */
export const farRetryOptions = { idempotent: true, retries: 3 } as const;
