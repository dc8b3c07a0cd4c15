const fenceTag = 'dispatch-cluster.fence';
/** As it is before a task can replace it. */
const send = process.send?.bind(process);

/** Whether a worker waits at the fence: the message is to be sent back to it. */
export function isFence(message: unknown): boolean {
  return (Object(message) as { readonly ticketing?: unknown }).ticketing === fenceTag;
}

/**
 * Resolves, in a worker, when all is settled that was on its way to it as this was called. In round robin the primary
 * hands connections over as messages. A worker that has closed its server gives those that come later back; if it exits
 * before, they hang for ever, since the primary waits for a word about each and never hears it. Messages keep their order:
 * what comes back after the first round tells that no more are on their way here, after the second that what was given
 * back has arrived there.
 */
export async function crossFence(): Promise<void> {
  for (let round = 1; round <= 2; round++) {
    await new Promise<void>((resolve) => {
      const listener = (message: unknown): void => {
        if (!isFence(message)) return;
        process.off('message', listener);
        resolve();
      };
      process.on('message', listener);
      // If the channel has closed, the process ends by `disconnect`.
      send?.({ ticketing: fenceTag }, undefined, undefined, () => {});
    });
  }
}
