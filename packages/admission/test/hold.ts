/** Holds the event loop. */
export function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
