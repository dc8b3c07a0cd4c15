import process from 'node:process';

/**
 * Has SIGINT, SIGTERM and SIGHUP change nothing in this process, whose parent decides when it ends. A terminal sends them to
 * every process of a group, and a service manager to every process of a service: a worker that ended by one would lose what it
 * works on, however orderly its parent ends. Listeners of the program are called as always.
 *
 * @param terminated - Called at each SIGTERM, which may be for this process alone
 * @returns a function after which the signals end this process again
 */
export function leaveSignalsToParent(
  terminated: () => void = () => {},
  host: Pick<typeof process, 'on' | 'off'> = process,
): () => void {
  const listeners = [
    ['SIGINT', () => {}],
    ['SIGTERM', () => terminated()],
    ['SIGHUP', () => {}],
  ] as const;
  for (const [signal, listener] of listeners) host.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) host.off(signal, listener);
  };
}
