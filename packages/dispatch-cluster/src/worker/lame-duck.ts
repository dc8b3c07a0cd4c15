import type { Traffic } from './traffic.ts';

/** What becomes of a server that leaves. */
export interface Leaving {
  /** Milliseconds that clients have to take one more answer over connections they keep. */
  readonly lameDuckMs: number;
  /** Milliseconds that what is in flight then still has. */
  readonly graceMs: number;
  /** Stops listening, and resolves when no connection is still on its way here. */
  leave(): Promise<void>;
  /** Resolves when something of the traffic has ended. */
  changed(): Promise<void>;
}

/**
 * Lets a server end without a request that fails. It accepts no connection, and each further answer says
 * `Connection: close`: a client that keeps its connection busy is told before it is closed. Connections without a request in
 * flight after `lameDuckMs` are closed then, also those with a part of a head; requests in flight are waited for, `graceMs` at most.
 */
export async function leaveAsLameDuck(
  traffic: Traffic,
  { lameDuckMs, graceMs, leave, changed }: Leaving,
): Promise<void> {
  traffic.turnAway();
  await leave();
  const isEmpty = (): boolean => traffic.connections.size === 0;
  await waitFor(isEmpty, changed, lameDuckMs);
  if (isEmpty()) return;
  traffic.destroyIdle();
  await waitFor(() => isEmpty() || !traffic.isBusy, changed, graceMs);
  // What is left is a request whose body or answer is too slow.
  for (const socket of traffic.connections) socket.destroy();
}

async function waitFor(
  isSo: () => boolean,
  changed: () => Promise<void>,
  longestMs: number,
): Promise<void> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve();
    }, longestMs);
  });
  while (!isSo() && !isLate) await Promise.race([changed(), late]);
  clearTimeout(timer);
}
