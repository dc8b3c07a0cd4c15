import { expect, onTestFinished, vi } from 'vitest';
import { askWorker } from './clients.ts';
import { openJournal, openRouter } from './router-fixture.ts';

export const TWENTY = Array.from({ length: 20 }, (_, index) => `/request-${index}`);
/** With two slots: see routing.test.ts. */
const keyOfFirst = 'b';
/** All connections want the worker in slot 0. */
export const toFirst = { route: () => ({ key: keyOfFirst }), balance: { loadFactor: Infinity } };

export const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;

/** Opens a router whose first worker, which all connections want, is stopped. */
export async function openStopped(limits: object, own = false) {
  const journal = openJournal();
  const opened = await openRouter({ ...toFirst, own, env: { JOURNAL: journal.path }, limits });
  const { port, pids } = opened;
  const [first = 0, second = 0] = pids();
  expect((await askWorker(port)).pid).toBe(first);
  process.kill(first, 'SIGSTOP');
  return { ...opened, journal, first, second };
}

/**
 * Stops the router's clock, half a minute ahead of the workers': no claim is late, however busy the machine is. A worker that is
 * paused between its look at the clock and its claim would rightly drop the connection. Returns what lets the clock go on.
 */
export function stopClock(): () => void {
  const [seconds, nanoseconds] = process.hrtime();
  const clock = vi.spyOn(process, 'hrtime').mockReturnValue([seconds + 30, nanoseconds]);
  const goOn = (): void => clock.mockRestore();
  onTestFinished(goOn);
  return goOn;
}
